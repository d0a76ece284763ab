// SPDX-License-Identifier: Apache-2.0
// Builds the page as ONE file: the script and the styles move into index.html, and a content security policy names
// their hashes, so that nothing else can run in the page, whatever a scene's names or an exported stream contain.
import { createHash } from "node:crypto";
import { defineConfig } from "vite";

const hash = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

// WebSockets count as 'self' only in newer browsers, therefore ws: is named.
const policy = (script, style) =>
  `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data: blob:; ` +
  `connect-src 'self' ws: wss:; base-uri 'none'; form-action 'none'`;

function oneFile() {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      const html = bundle["index.html"];
      let script = "",
        style = "";
      for (const [name, part] of Object.entries(bundle)) {
        if (part === html) continue;
        if (part.type === "chunk") script += part.code;
        else if (name.endsWith(".css")) style += part.source;
        else throw new Error(`${name} cannot be part of a page in one file`);
        delete bundle[name];
      }
      // Inside a script element the HTML parser looks for two words only.
      script = script
        .trim()
        .replace(/<\/script/gi, "<\\/script")
        .replace(/<!--/g, "<\\!--");
      style = style.trim();
      html.source = html.source
        .replace(/\s*<script type="module"[^>]*><\/script>/, "")
        .replace(/\s*<link rel="stylesheet"[^>]*>/, "")
        .replace(
          "<!--policy-->",
          () => `<meta http-equiv="Content-Security-Policy" content="${policy(script, style)}">`,
        )
        .replace("</head>", () => `<style>${style}</style>\n</head>`)
        .replace("</body>", () => `<script type="module">${script}</script>\n</body>`);
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [oneFile()],
  esbuild: { legalComments: "inline" }, // the licences of what is bundled stay with it
  build: {
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 2000,
    rollupOptions: { output: { inlineDynamicImports: true } },
  },
});
