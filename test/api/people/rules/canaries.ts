import { type Dump, isIn } from './dump.ts'
import { isVisible, readable } from './expected.ts'
import { type Reader, statusBehind } from './oracle.ts'

export const CANARY = /cnry[a-z]+\d+(?:draft|published)x(?:part)?/g

/** The canaries that the reader may receive by any door. */
export function canariesOf(dump: Dump, reader: Reader): ReadonlySet<string> {
  const statuses = ['draft', 'published'] as const
  const reads = dump.versions.flatMap((version) =>
    statuses
      .filter((at) => {
        const behind = statusBehind({ dump, at, reader }, version.type)
        return isIn(dump, version, at) || isIn(dump, version, behind)
      })
      .map((at) => ({ version, at })),
  )
  const visible = reads.flatMap(({ version, at }) => {
    const view = { dump, at, reader }
    const verbs = (['find', 'findOne'] as const).filter((verb) => isVisible(view, version, verb))
    const shows = (name: string): boolean =>
      verbs.some((verb) => readable(reader, version.type, verb, version.status === 'draft')(name))
    const { canary } = version.values
    return [
      ...(shows('canary') ? [String(canary)] : []),
      ...(shows('part') ? [`${String(canary)}part`] : []),
    ]
  })
  return new Set(visible)
}
