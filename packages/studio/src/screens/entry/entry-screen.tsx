import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { EntrySession } from '../../entry/entry-session.ts'
import type { FormPlan, FoundEntry } from '../../entry/form-plan.ts'
import { apiNameOf, type TypeSummary } from '../../api/content-types.ts'
import { useLocales } from '../../api/locales.ts'
import { useSession } from '../../api/session.ts'
import { Skeleton } from '../../design/late.tsx'
import { EntryForm } from './entry-form.tsx'
import { findEntry, findSingle, loadFormPlan } from './load-form.ts'
import { NotTranslated } from './not-translated.tsx'
import { noteCreated } from './screen-keys.ts'
import { openSession } from './open-session.ts'

export interface EntryScreenProps {
  readonly type: TypeSummary
  /** Null: a new entry, or the entry of a single type if it exists. */
  readonly documentId: string | null
}

export function EntryScreen({ type, documentId }: EntryScreenProps) {
  const search: { readonly locale?: string } = useSearch({ strict: false })
  const locales = useLocales()
  const locale = type.localized ? (search.locale ?? locales[0]?.code ?? null) : null
  return <Loader key={locale} {...{ type, documentId, locale }} />
}

interface LoaderProps extends EntryScreenProps {
  readonly locale: string | null
}

type Loaded =
  | { readonly kind: 'open'; readonly session: EntrySession }
  | { readonly kind: 'missing'; readonly plan: FormPlan; readonly documentId: string }

/** Reads the entry only once. After that the form has the newest state. */
function Loader({ type, documentId, locale }: LoaderProps) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const { administrator } = useSession()
  const [loaded, setLoaded] = useState<Loaded | null>(null)
  const [failure, fail] = useState<Error | null>(null)
  const [turn, again] = useState(0)
  const first = useRef(documentId)
  const onCreated = (id: string): void => {
    if (type.kind === 'singleType') return
    noteCreated(id)
    void navigate({
      to: '/content/$type/$documentId',
      params: { type: apiNameOf(type), documentId: id },
      search: locale === null ? {} : { locale },
      replace: true,
    })
  }
  const created = useRef(onCreated)
  created.current = onCreated
  useEffect(() => {
    const abort = new AbortController()
    const isGone = (): boolean => abort.signal.aborted
    const load = async (): Promise<void> => {
      const plan = await loadFormPlan(client, type, locale)
      const isSingle = type.kind === 'singleType'
      const id = isSingle ? await findSingle(plan, abort.signal) : first.current
      const found: FoundEntry | null = id === null ? null : await findEntry(plan, id, abort.signal)
      if (isGone()) return
      if (id !== null && found === null) return setLoaded({ kind: 'missing', plan, documentId: id })
      const session = await openSession({
        plan,
        documentId: id,
        found,
        administrator: administrator.id,
        onCreated: (id) => created.current(id),
      })
      if (isGone()) return
      setLoaded({ kind: 'open', session })
    }
    load().catch((error: unknown) => {
      if (!isGone()) fail(error instanceof Error ? error : new Error(String(error)))
    })
    return () => abort.abort()
  }, [administrator.id, client, locale, turn, type])
  if (failure !== null) throw failure
  if (loaded === null) return <Skeleton lines={10} />
  if (loaded.kind === 'missing') {
    const { plan, documentId: id } = loaded
    return (
      <NotTranslated
        {...{ plan }}
        documentId={id}
        onBegun={() => {
          setLoaded(null)
          again(turn + 1)
        }}
      />
    )
  }
  return <EntryForm session={loaded.session} isBegun={turn > 0} />
}
