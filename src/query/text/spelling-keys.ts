import { correctedEdits } from './near-words.ts'

// A word is divided into more pieces than it can have wrong letters, so at least one piece is right. The key of a piece
// has the length of the word, the number of the piece, and the letters of the word from the start of the piece on,
// followed by those before it. So all words of a length with a certain piece are a range of keys.

/** Shorter words have at most one wrong letter. */
const MIN_THREE_PIECES = 7

/** The first character of a key is printable. */
const FIRST_CHARACTER = 0x30

const HEAD = 2

function pieceStarts(length: number): readonly number[] {
  const pieces = length < MIN_THREE_PIECES ? 2 : 3
  return Array.from({ length: pieces }, (_, piece) => Math.floor((piece * length) / pieces))
}

function headOf(length: number, piece: number): string {
  return `${String.fromCharCode(FIRST_CHARACTER + length)}${piece}`
}

/** The keys of a word, in the order of its pieces. */
export function spellingKeys(word: string): readonly string[] {
  return spellingKeysOf(word.length).map((keyOf) => keyOf(word))
}

/** The keys of all words of a length, by piece. */
export function spellingKeysOf(length: number): readonly ((word: string) => string)[] {
  return pieceStarts(length).map((start, piece) => {
    const head = headOf(length, piece)
    return (word) => `${head}${word.slice(start)}${word.slice(0, start)}`
  })
}

export function wordOfKey(key: string): string {
  const turned = key.slice(HEAD)
  const start = pieceStarts(turned.length)[Number(key[1])] ?? 0
  return `${turned.slice(turned.length - start)}${turned.slice(0, turned.length - start)}`
}

/** Returns a test of keys for one of the probes. */
export function probeKeys(probes: ReadonlySet<string>): (key: string) => boolean {
  // All probes with the same head have the same length.
  const lengths = new Map([...probes].map((probe) => [probe.slice(0, HEAD), probe.length]))
  return (key) => probes.has(key.slice(0, lengths.get(key.slice(0, HEAD)) ?? 0))
}

export function isFirstPiece(probe: string): boolean {
  return probe[1] === '0'
}

/** The beginnings of keys. Every correction of the word has a key with one of them. */
export function spellingProbes(word: string): ReadonlySet<string> {
  const edits = correctedEdits(word)
  const lengths =
    edits === 0 ? [] : Array.from({ length: 2 * edits + 1 }, (_, at) => word.length - edits + at)
  return new Set(
    lengths.flatMap((length) =>
      pieceStarts(length).flatMap((start, piece, starts) => {
        const end = starts[piece + 1] ?? length
        const texts = piecesAt(word, { start, end, length, edits })
        return texts.map((text) => `${headOf(length, piece)}${text}`)
      }),
    ),
  )
}

interface Piece {
  readonly start: number
  readonly end: number
  /** Of the other word. */
  readonly length: number
  readonly edits: number
}

/** The texts that the piece can have if it is right. */
function piecesAt(word: string, { start, end, length, edits }: Piece): readonly string[] {
  const added = word.length - length
  const right = shiftsOf(added, edits)
    .filter((shift) => start + shift >= 0 && end + shift <= word.length)
    .map((shift) => word.slice(start + shift, end + shift))
  if (end === length) return right
  // Two letters that are swapped across the end of the piece make two pieces wrong.
  const swapped = shiftsOf(added, edits - 1)
    .filter((shift) => start + shift >= 0 && end + shift < word.length)
    .map((shift) => `${word.slice(start + shift, end + shift - 1)}${word.charAt(end + shift)}`)
  return [...right, ...swapped]
}

/** By how many letters a right piece can be moved, if `added` letters are added in total. */
function shiftsOf(added: number, edits: number): readonly number[] {
  const all = Array.from({ length: 2 * edits + 1 }, (_, at) => at - edits)
  return all.filter((shift) => Math.abs(shift) + Math.abs(added - shift) <= edits)
}
