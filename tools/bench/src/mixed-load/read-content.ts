import { randomInt } from 'node:crypto'
import type { Ledger } from './ledger.ts'
import { findNoteFault, POPULATE_NOTE } from './note.ts'
import type { NoteEntry, OneResponse, PageResponse } from './shapes.ts'
import type { WorkContext } from './work.ts'

/** A reader: checks lists, pages, filters through relations and single entries. */
export async function readContent({ client, ledger, isOver }: WorkContext): Promise<void> {
  while (!isOver()) {
    const path = pathOf(ledger)
    const answer = await client.ask('GET', path, { expected: [200, 404] })
    if (answer?.status !== 200 || !path.startsWith('/api/notes')) continue
    const { data } = answer.body as OneResponse<NoteEntry> | PageResponse<NoteEntry>
    for (const entry of [data].flat()) {
      const fault = findNoteFault(entry, ledger)
      if (fault !== null) client.complain(`GET ${path}: ${fault}`)
    }
  }
}

const LISTS = [
  'sort=key:desc',
  'filters[folder][name][$eq]=folder 1&sort=total',
  'pagination[page]=2&pagination[pageSize]=10',
  'filters[parts][revision][$gt]=5&fallbackLocale=en',
]

function pathOf({ notes, groups }: Ledger): string {
  const status = randomInt(2) === 0 ? 'draft' : 'published'
  const locale = randomInt(3) === 0 ? 'fr' : 'en'
  const version = `status=${status}&locale=${locale}&${POPULATE_NOTE}`
  const chance = randomInt(LISTS.length + 2)
  if (chance < LISTS.length) return `/api/notes?${version}&${LISTS[chance]}`
  const documentId = notes[randomInt(Math.max(notes.length, 1))]?.documentId ?? null
  if (chance === LISTS.length && documentId !== null) return `/api/notes/${documentId}?${version}`
  return `/api/groups/${groups[randomInt(groups.length)]}?populate=members`
}
