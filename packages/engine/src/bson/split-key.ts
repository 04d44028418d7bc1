import { TYPE_RANKS } from './values.ts'

/** The positions at which the components of a key start, and the end of the last one. */
export function splitKey(bytes: Buffer, from: number, directions: readonly number[]): number[] {
  const places = [from]
  let at = from
  for (const direction of directions) {
    at = valueEnd(bytes, at, direction === -1 ? 255 : 0)
    places.push(at)
  }
  return places
}

function byteAt(bytes: Buffer, at: number, flip: number): number {
  return (bytes[at] ?? 0) ^ flip
}

const FIXED: Readonly<Record<number, number>> = {
  [TYPE_RANKS.minKey]: 0,
  [TYPE_RANKS.missing]: 0,
  [TYPE_RANKS.null]: 0,
  [TYPE_RANKS.maxKey]: 0,
  [TYPE_RANKS.objectId]: 12,
  [TYPE_RANKS.bool]: 1,
  [TYPE_RANKS.date]: 8,
  [TYPE_RANKS.timestamp]: 8,
}

function valueEnd(bytes: Buffer, at: number, flip: number): number {
  return contentEnd(bytes, byteAt(bytes, at, flip), at + 1, flip)
}

function contentEnd(bytes: Buffer, rank: number, at: number, flip: number): number {
  const fixed = FIXED[rank]
  if (fixed !== undefined) return at + fixed
  if (rank === TYPE_RANKS.int) return numberEnd(bytes, at, flip)
  if (rank === TYPE_RANKS.object) return documentEnd(bytes, at, flip)
  if (rank === TYPE_RANKS.array) return arrayEnd(bytes, at, flip)
  if (rank === TYPE_RANKS.binData) return binaryEnd(bytes, at, flip)
  const end = textEnd(bytes, at, flip)
  return rank === TYPE_RANKS.regex ? textEnd(bytes, end, flip) : end
}

/** The text ends with a zero byte without FF after it, plus one more byte. */
function textEnd(bytes: Buffer, from: number, flip: number): number {
  let at = from
  for (;;) {
    at = bytes.indexOf(flip, at)
    if (at < 0) return bytes.length
    if (byteAt(bytes, at + 1, flip) !== 0xff) return at + 2
    at += 2
  }
}

const LOWER = 0x02
const HIGHER = 0x04

/** Eight bytes of a double, one byte that says whether it is exact, and the digits if it is not. */
function numberEnd(bytes: Buffer, at: number, flip: number): number {
  const flag = byteAt(bytes, at + 8, flip)
  if (flag !== LOWER && flag !== HIGHER) return at + 9
  // The digits of a negative number and their terminating zero are inverted again.
  return bytes.indexOf(flag === LOWER ? flip ^ 255 : flip, at + 11) + 1
}

function documentEnd(bytes: Buffer, from: number, flip: number): number {
  let at = from
  while (byteAt(bytes, at, flip) !== 0) {
    const rank = byteAt(bytes, at, flip)
    at = contentEnd(bytes, rank, textEnd(bytes, at + 1, flip), flip)
  }
  return at + 1
}

function arrayEnd(bytes: Buffer, from: number, flip: number): number {
  let at = from
  while (byteAt(bytes, at, flip) !== 0) at = valueEnd(bytes, at, flip)
  return at + 1
}

function binaryEnd(bytes: Buffer, at: number, flip: number): number {
  const length = (bytes.readUInt32BE(at) ^ (flip === 0 ? 0 : 0xffffffff)) >>> 0
  return at + 5 + length
}
