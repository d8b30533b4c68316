/**
 * The headers of an answer, gathered until it is written. A list of names and values in turn is what `writeHead` takes
 * and checks once; headers that are set on the response one by one are checked twice. Names are spelt as they are sent.
 */
export class AnswerHeaders {
  readonly list: string[]

  constructor(common: readonly string[] = []) {
    this.list = common.slice()
  }

  /** Replaces what was set under that name. */
  set(name: string, value: string): void {
    const at = this.#find(name)
    if (at === -1) this.list.push(name, value)
    else this.list[at + 1] = value
  }

  get(name: string): string | undefined {
    const at = this.#find(name)
    return at === -1 ? undefined : this.list[at + 1]
  }

  delete(name: string): void {
    const at = this.#find(name)
    if (at !== -1) this.list.splice(at, 2)
  }

  #find(name: string): number {
    for (let at = 0; at < this.list.length; at += 2) if (this.list[at] === name) return at
    return -1
  }
}
