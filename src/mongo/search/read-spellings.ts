import { beginTimeSlice } from '../../base/time-slice.ts'
import { readBlock } from '../../query/text/postings.ts'
import {
  isFirstPiece,
  probeKeys,
  spellingProbes,
  wordOfKey,
} from '../../query/text/spelling-keys.ts'
import type { Table } from '../connection/table.ts'
import type { Segment, SegmentRow } from './index-rows.ts'
import {
  blocksBetween,
  endOfPrefix,
  readSegmentRows,
  spellingId,
  spellingsId,
} from './read-segments.ts'

/** The first keys of the blocks of a segment. */
interface Spellings {
  readonly segment: string
  readonly firstKeys: readonly string[]
}

/** Blocks of 4 KB that are read for one word. */
const MAX_BLOCKS = 1_024

export async function readSpellings(
  rows: Table<SegmentRow>,
  segments: readonly Segment[],
): Promise<readonly Spellings[]> {
  const read = await readSegmentRows(
    rows,
    segments.map(({ id }) => spellingsId(id)),
  )
  return segments.map(({ id }) => {
    return { segment: id, firstKeys: read.get(spellingsId(id))?.directory?.firstTerms ?? [] }
  })
}

/** Words that share a piece with the given one, all near ones among them. None if there are too many. */
export async function findSpellings(
  rows: Table<SegmentRow>,
  spellings: readonly Spellings[],
  word: string,
): Promise<ReadonlySet<string>> {
  const words = new Set<string>()
  const { probes, ids } = chooseProbes(spellings, spellingProbes(word))
  const isProbed = probeKeys(probes)
  const slice = beginTimeSlice()
  for (const { block } of (await readSegmentRows(rows, ids)).values()) {
    for (const { term: key } of readBlock(block ?? Buffer.alloc(0))) {
      if (isProbed(key)) words.add(wordOfKey(key))
    }
    if (slice.isOver()) await slice.next()
  }
  return words
}

interface ChosenProbes {
  readonly probes: ReadonlySet<string>
  /** The blocks that may have keys with these probes. */
  readonly ids: ReadonlySet<string>
}

/** In a very large index, the first third or half of a word must be right. */
export function chooseProbes(
  spellings: readonly Spellings[],
  all: ReadonlySet<string>,
): ChosenProbes {
  for (const probes of [all, new Set([...all].filter(isFirstPiece))]) {
    const ids = new Set(
      spellings.flatMap(({ segment, firstKeys }) =>
        [...probes].flatMap((probe) =>
          blocksBetween(firstKeys, probe, endOfPrefix(probe)).map((block) =>
            spellingId(segment, block),
          ),
        ),
      ),
    )
    if (ids.size <= MAX_BLOCKS) return { probes, ids }
  }
  return { probes: new Set(), ids: new Set() }
}
