// SPDX-License-Identifier: Apache-2.0
// Keeps the page below the 200 messages a second that the program accepts: of a moving hand or slider only the newest
// position counts, and frames are acknowledged in bundles. At the very most that makes 120 acknowledgements (two views, two
// frames on the way each, every ACK_MS) and 75 others.
import type { ToServer } from "./protocol";

const LATEST_MS = 40;
const ACK_MS = 34;

export class Outbox {
  private readonly latest = new Map<string, ToServer | null>(); // by kind: what waits for its turn
  private acks: ToServer[] = [];
  private ackTimer = 0;

  constructor(private readonly send: (message: ToServer) => void) {}

  post(message: ToServer): void {
    if (message.type === "ack") return this.acknowledge(message);
    if (message.type === "release") this.latest.delete("drag"); // a position that waits must not take hold again
    const kind = kindOf(message);
    if (kind === null) return this.send(message);
    if (this.latest.has(kind)) this.latest.set(kind, message);
    else this.pass(kind, message);
  }

  private pass(kind: string, message: ToServer): void {
    this.send(message);
    this.latest.set(kind, null);
    setTimeout(() => {
      const next = this.latest.get(kind);
      this.latest.delete(kind);
      if (next) this.pass(kind, next);
    }, LATEST_MS);
  }

  private acknowledge(message: ToServer): void {
    this.acks.push(message);
    this.ackTimer ||= window.setTimeout(() => {
      this.ackTimer = 0;
      for (const ack of this.acks.splice(0)) this.send(ack);
    }, ACK_MS);
  }
}

function kindOf(message: ToServer): string | null {
  if (message.type === "drag" || message.type === "pick") return message.type;
  if (message.type === "settings") return `settings ${message.method} ${Object.keys(message.values).join()}`;
  return null;
}
