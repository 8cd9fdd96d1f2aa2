// SPDX-License-Identifier: BSD-3-Clause
// What the reader looks at. Whoever shows something of it subscribes to the keys it depends on.

export class State {
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
}
