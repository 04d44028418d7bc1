import { FILE_TYPE } from './file-queue.ts'
import type { EntryPlace, QueryContext } from './query-context.ts'

/** A file as an entry shows it: with the texts in the locale of the entry. Other places stay. */
export function localizeFile({ plan }: QueryContext, place: EntryPlace): EntryPlace {
  const { name, locale } = place
  const { translations, ...own } = place.data
  const isFile = name !== null && plan.types[name]?.name === FILE_TYPE
  if (!isFile || translations === undefined) return place
  const texts = (translations as Readonly<Record<string, object>> | null)?.[locale]
  return { ...place, data: { ...own, ...texts } }
}
