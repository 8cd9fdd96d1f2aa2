// SPDX-License-Identifier: BSD-3-Clause
// What the reader looks at. Whoever shows something of it subscribes to the keys it depends on.

const kPauseMs = 60;

export class State {
  #waiting = new Map();
  #listeners = [];
  #values;

  constructor(values) {
    this.#values = values;
  }

  get(key) {
    return this.#values[key];
  }

  set(changes) {
    const changed = Object.keys(changes).filter((key) => this.#values[key] !== changes[key]);
    Object.assign(this.#values, changes);
    if (!changed.length) return;
    for (const { keys, listener } of this.#listeners) {
      if (keys.some((key) => changed.includes(key))) listener();
    }
  }

  // Calls at once and after each change of one of the keys.
  on(keys, listener) {
    this.#listeners.push({ keys, listener });
    listener();
  }

  // The same for what may lag behind: once for many changes, when the reader pauses.
  onPause(keys, listener) {
    this.on(keys, listener);
    const entry = this.#listeners.at(-1);
    entry.listener = () => {
      clearTimeout(this.#waiting.get(listener));
      this.#waiting.set(listener, setTimeout(() => {
        this.#waiting.delete(listener);
        listener();
      }, kPauseMs));
    };
  }

  get settled() {
    return this.#waiting.size === 0;
  }
}
