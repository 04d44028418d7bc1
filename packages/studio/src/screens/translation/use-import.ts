import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  type ComparedEntry,
  importEntry,
  type ImportResult,
  isCertain,
  isImportable,
} from '../../api/translations.ts'
import { notify } from '../../design/toasts.tsx'
import { useTexts } from '../../texts/texts.ts'

export interface ComparedFile {
  readonly entries: readonly ComparedEntry[]
  /** The chosen texts, by entry (`keyOfEntry`). */
  readonly taken: ReadonlyMap<string, ReadonlySet<string>>
  /** Empty before the import. */
  readonly results: ReadonlyMap<string, ImportResult>
}

type LoadEntries = (report: (problem: string) => void) => Promise<readonly ComparedEntry[]>

export type ImportWork = ReturnType<typeof useImport>

export function keyOfEntry({ documentId, to }: Pick<ComparedEntry, 'documentId' | 'to'>): string {
  return `${documentId}:${to}`
}

/** Compares texts with the stored ones, lets the user choose some, and imports them entry by entry. */
export function useImport(uid: string) {
  const { t } = useTexts()
  const client = useQueryClient()
  const [file, setFile] = useState<ComparedFile | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [problem, tell] = useState<string | null>(null)

  const guarded = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true)
    tell(null)
    try {
      await work()
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error))
    }
    setBusy(false)
  }
  /** `load` may report a problem and return the entries before it. */
  const compare = (load: LoadEntries): Promise<void> =>
    guarded(async () => {
      const entries = await load(tell)
      const certain = (entry: ComparedEntry): ReadonlySet<string> =>
        new Set(entry.units.filter(isCertain).map(({ id }) => id))
      const taken = new Map(entries.map((entry) => [keyOfEntry(entry), certain(entry)]))
      setFile({ entries, taken, results: new Map() })
    })
  const take = (entry: ComparedEntry, ids: readonly string[], isTaken: boolean): void => {
    if (file !== null) setFile(withTaken(file, entry, ids, isTaken))
  }
  const store = (): Promise<void> =>
    guarded(async () => {
      if (file === null) return
      const results = new Map(file.results)
      try {
        for (const entry of file.entries) {
          const ids = file.taken.get(keyOfEntry(entry))
          if (ids === undefined || ids.size === 0) continue
          results.set(keyOfEntry(entry), await importEntry(uid, entry, ids))
          setFile({ ...file, results: new Map(results) })
        }
      } finally {
        const done = [...results.values()].filter(({ status }) => status < 400).length
        if (done > 0) notify(t('translation.done', { count: done }))
        void client.invalidateQueries({ queryKey: ['content', uid] })
        void client.invalidateQueries({ queryKey: ['counts'] })
      }
    })
  return { file, isBusy, problem, compare, take, store, clear: () => setFile(null) }
}

function withTaken(
  file: ComparedFile,
  entry: ComparedEntry,
  ids: readonly string[],
  isTaken: boolean,
): ComparedFile {
  const own = new Set(file.taken.get(keyOfEntry(entry)))
  for (const id of ids) {
    if (isTaken) own.add(id)
    else own.delete(id)
  }
  return { ...file, taken: new Map(file.taken).set(keyOfEntry(entry), own) }
}

export function importableIds({ units }: ComparedEntry): readonly string[] {
  return units.filter(isImportable).map(({ id }) => id)
}
