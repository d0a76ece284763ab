// SPDX-License-Identifier: Apache-2.0
// The program behind the page: `thaw view` as a child, and what the machine spends on whom.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { executable, PAGE } from "./browser.mjs";

export const program = process.env.THAW_PROGRAM;
export const skip = !program
  ? "THAW_PROGRAM is not set"
  : !executable
    ? "no Chromium here"
    : !existsSync(PAGE)
      ? "the page is not built"
      : false;

// Starts `thaw view` with these arguments. `address` is where its page is; `stop` ends it as Ctrl-C would.
export async function startView(args) {
  const thaw = spawn(program, ["view", ...args, "--no-open", "--page", PAGE], { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => thaw.on("exit", resolve));
  let said = "";
  const address = await new Promise((resolve, reject) => {
    thaw.stderr.on("data", (text) => (said += text));
    thaw.stdout.on("data", (text) => {
      const found = (said += text).match(/http:\/\/\S+/);
      if (found) resolve(found[0]);
    });
    ended.then(() => reject(new Error(`thaw view ended: ${said}`)));
  });
  const stop = () => {
    thaw.kill("SIGINT");
    return ended;
  };
  return { address, pid: thaw.pid, stop };
}

const TICK_MS = 10; // of /proc, where this is Linux

// ms of CPU time so far: of the processes that this one has started, by kind (Chromium names the kinds of its own), and of all
// on the machine. null where there is no /proc.
export function cpuTimes() {
  if (!existsSync("/proc/stat")) return null;
  const all = new Map();
  for (const name of readdirSync("/proc").filter((n) => /^\d+$/.test(n)))
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1"),
        numbers = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const kind = /--type=([\w-]+)/.exec(readFileSync(`/proc/${name}/cmdline`, "latin1"))?.[1] ?? "other";
      all.set(Number(name), {
        parent: Number(numbers[1]),
        kind,
        ms: TICK_MS * (Number(numbers[11]) + Number(numbers[12])),
      });
    } catch {
      // gone in between
    }
  const isOwn = (pid) => pid === process.pid || (all.has(pid) && isOwn(all.get(pid).parent));
  const times = { own: 0 };
  for (const [pid, { kind, ms }] of all)
    if (isOwn(pid)) {
      times[kind] = (times[kind] ?? 0) + ms;
      times.own += ms;
    }
  const [user, nice, system] = readFileSync("/proc/stat", "latin1").split(/\s+/).slice(1, 4).map(Number);
  return { ...times, machine: TICK_MS * (user + nice + system) };
}
