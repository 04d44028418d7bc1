import { beginTimeSlice } from '../../base/time-slice.ts'
import { groupBy } from '../../base/group-by.ts'
import { BlockWriter } from '../../query/text/postings.ts'
import { spellingKeysOf } from '../../query/text/spelling-keys.ts'

/** A probe reads a block or two, so blocks are smaller than those of terms. */
const BLOCK_BYTES = 4_096

export interface SpellingBlock {
  readonly first: string
  readonly bytes: Buffer
}

/** The spelling keys of the words, in ascending order. Each word is given once. */
export async function* writeSpelling(words: readonly string[]): AsyncGenerator<SpellingBlock> {
  const writer = new BlockWriter(BLOCK_BYTES)
  const slice = beginTimeSlice()
  const byLength = [...groupBy(words, ({ length }) => length)]
  for (const [length, same] of byLength.toSorted(([one], [other]) => one - other)) {
    for (const keyOf of spellingKeysOf(length)) {
      for (const key of same.map(keyOf).toSorted()) writer.addKey(key)
      yield* writer.take(false)
      if (slice.isOver()) await slice.next()
    }
  }
  yield* writer.take(true)
}
