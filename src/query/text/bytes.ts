/** For fewer bytes a loop is faster than a native call. */
const MAX_LOOPED_BYTES = 32

/** Grows as needed. Numbers are whole and not negative. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(1_024)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Seven bits per byte, the lowest first. */
  number(value: number): this {
    this.#reserve(8)
    let rest = value
    while (rest >= 0x80) {
      this.#bytes[this.#length] = (rest % 0x80) | 0x80
      this.#length += 1
      rest = Math.floor(rest / 0x80)
    }
    this.#bytes[this.#length] = rest
    this.#length += 1
    return this
  }

  /** Whole numbers that may be negative, up to 2^52. */
  signed(value: number): this {
    return this.number(value < 0 ? -2 * value - 1 : 2 * value)
  }

  text(text: string): this {
    if (this.#shortAscii(text)) return this
    const size = Buffer.byteLength(text)
    this.number(size).#reserve(size)
    this.#length += this.#bytes.write(text, this.#length)
    return this
  }

  range(bytes: Uint8Array, start: number, end: number): this {
    this.#reserve(end - start)
    let at = this.#length
    if (end - start > MAX_LOOPED_BYTES) this.#bytes.set(bytes.subarray(start, end), at)
    else for (let from = start; from < end; from += 1) this.#bytes[at++] = bytes[from] ?? 0
    this.#length += end - start
    return this
  }

  /** Moves the bytes of another writer to the end of this one. */
  move(other: ByteWriter): this {
    this.range(other.#bytes, 0, other.#length)
    other.#length = 0
    return this
  }

  /** Returns the bytes and starts again. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length))
    this.#length = 0
    return taken
  }

  /** Whether it has written the text. */
  #shortAscii(text: string): boolean {
    const size = text.length
    if (size > MAX_LOOPED_BYTES) return false
    this.#reserve(size + 1)
    const start = this.#length
    this.#bytes[start] = size
    for (let at = 0; at < size; at += 1) {
      const code = text.charCodeAt(at)
      if (code >= 0x80) return false
      this.#bytes[start + 1 + at] = code
    }
    this.#length = start + 1 + size
    return true
  }

  #reserve(size: number): void {
    const needed = this.#length + size
    if (needed <= this.#bytes.length) return
    const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length))
    this.#bytes.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
  }
}

/** Reads the output of a `ByteWriter`. */
export class ByteReader {
  readonly #bytes: Buffer
  #at: number

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#at = at
  }

  get at(): number {
    return this.#at
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  number(): number {
    let value = 0
    let scale = 1
    for (;;) {
      const byte = this.#bytes[this.#at] ?? 0
      this.#at += 1
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
      scale *= 0x80
    }
  }

  skipNumbers(count: number): void {
    let at = this.#at
    for (let left = count; left > 0; left -= 1) {
      while ((this.#bytes[at] ?? 0) >= 0x80) at += 1
      at += 1
    }
    this.#at = at
  }

  signed(): number {
    const value = this.number()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  text(): string {
    const size = this.number()
    const text = this.#bytes.toString('utf8', this.#at, this.#at + size)
    this.#at += size
    return text
  }

  bytes(size: number): Buffer {
    const bytes = this.#bytes.subarray(this.#at, this.#at + size)
    this.#at += size
    return bytes
  }
}
