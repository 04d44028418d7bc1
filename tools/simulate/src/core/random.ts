/** A seeded generator (sfc32). Equal seeds give equal sequences on every machine. */
export interface Random {
  /** At least 0, less than 1. */
  next(): number
  /** An integer: at least `low`, at most `high`. */
  between(low: number, high: number): number
  chance(probability: number): boolean
  pick<T>(things: readonly T[]): T
  writeTo(bytes: Uint8Array): void
}

const WARM_UP = 12

export function openRandom(seed: number, stream: string): Random {
  let [a, b, c, d] = [seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0, hashText(stream), 1]
  const word = (): number => {
    const sum = (a + b + d) >>> 0
    d = (d + 1) >>> 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) >>> 0
    c = ((c << 21) | (c >>> 11)) >>> 0
    c = (c + sum) >>> 0
    return sum
  }
  for (let turn = 0; turn < WARM_UP; turn += 1) word()
  const next = (): number => word() / 2 ** 32
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick: (things) => {
      const picked = things[between(0, things.length - 1)]
      if (picked === undefined) throw new Error('there is nothing to pick from')
      return picked
    },
    writeTo: (bytes) => {
      for (let index = 0; index < bytes.length; index += 1) bytes[index] = word() & 0xff
    },
  }
}

/** FNV-1a. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0
  }
  return hash
}
