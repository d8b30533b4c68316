import { gzipSync } from 'node:zlib'

import { contentTag } from './content-tag.js'

/** A body as it is sent, with the ETag of exactly these bytes (RFC 9110 §8.8.3.3). */
interface Representation {
  readonly bytes: Buffer
  readonly headers: Readonly<Record<string, string>>
}

/** A body that never changes. It is compressed and tagged only once. */
export class FixedDocument {
  readonly #plain: Representation
  readonly #packed: Representation

  constructor(text: string) {
    this.#plain = { bytes: Buffer.from(text), headers: { Vary: 'Accept-Encoding', ETag: contentTag(text) } }
    this.#packed = {
      bytes: gzipSync(text, { level: 9 }),
      headers: { Vary: 'Accept-Encoding', ETag: contentTag(text, 'gzip'), 'Content-Encoding': 'gzip' },
    }
  }

  as(encoding: 'gzip' | 'identity'): Representation {
    return encoding === 'gzip' ? this.#packed : this.#plain
  }
}
