import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import type { EntrySession } from '../../entry/entry-session.ts'
import { factsKey, previewQuery } from '../../api/entry-facts.ts'
import { adoptFacts } from '../../api/saved-facts.ts'
import { startSaver } from '../../entry/start-saver.ts'
import { useMay } from '../../api/session.ts'
import { lazyPart } from '../../design/load-part.tsx'
import { OpenedPart } from '../../design/opened-part.tsx'
import { notify } from '../../design/toasts.tsx'
import { useOwnNotices } from '../../design/use-own-notices.ts'
import { findLink } from '../../entry/find-link.ts'
import type { FileValue, Link } from '../../entry/values.ts'
import { BesideContext } from '../../fields/beside/beside.ts'
import { BesideField } from '../../fields/beside/beside-field.tsx'
import { Field } from '../../fields/field.tsx'
import { FieldCommentsContext } from '../../fields/field-comments.ts'
import { FieldList } from '../../fields/field-list.tsx'
import { focusField, focusPlace } from '../../fields/focus.ts'
import { type OpenEntry, OpenEntryContext } from '../../fields/open-entry.ts'
import { PresentInFieldsContext } from '../../fields/presence/present-in-fields.ts'
import { TitleField } from '../../fields/text/text-field.tsx'
import { useTexts } from '../../texts/texts.ts'
import { useEntryComments } from '../comments/use-entry-comments.ts'
import type { EntryRouteSearch } from './entry-search.ts'
import { BesideBar } from './beside-bar.tsx'
import styles from './entry-form.module.css'
import { EntryHead } from './entry-head.tsx'
import { EntrySide } from './entry-side.tsx'
import { PreviewPane } from './preview-pane.tsx'
import { useEntryActions } from './use-entry-actions.ts'
import { useEntryKeys } from './use-entry-keys.ts'
import { useFollowing } from './use-following.ts'
import { useEntryPresence } from './use-presence.ts'
import { usePreview } from './use-preview.ts'
import { useShownLanguage } from './use-shown-language.ts'

const EntryDrawer = lazyPart(async () => (await import('./entry-drawer.tsx')).EntryDrawer)
const OpenedFile = lazyPart(async () => (await import('./opened-file.tsx')).OpenedFile)

export interface EntryFormProps {
  readonly session: EntrySession
  /** The user has just created this locale. */
  readonly isBegun: boolean
}

export function EntryForm({ session, isBegun }: EntryFormProps) {
  const { plan, saver, door, isRestored } = session
  const { type, locale, attributes, declaration } = plan
  const { t } = useTexts()
  const client = useQueryClient()
  const isGone = useSaver(saver, () => saver.state().kind === 'gone')
  const savedAt = useSaver(saver, () => saver.savedAt())
  const documentId = door.documentId()
  useSavingWhileOpen(session)
  useEffect(() => {
    if (isRestored) notify(t('entry.restored'))
  }, [isRestored, t])
  useEffect(() => {
    if (documentId === null || savedAt === null) return
    const facts = door.savedFacts()
    if (facts === null) {
      void client.invalidateQueries({ queryKey: factsKey(type.uid, documentId) })
      void client.invalidateQueries({ queryKey: ['counts'] })
    } else void adoptFacts(client, { uid: type.uid, documentId, locale }, facts)
    void client.invalidateQueries({ queryKey: ['content', type.uid, 'list'] })
  }, [client, documentId, door, locale, savedAt, type.uid])

  const { others, inFields, isLive } = useEntryPresence(session)
  const { states, state, changes } = useFollowing(session, isLive)
  const may = useMay()
  const action = documentId === null && type.kind === 'collectionType' ? 'create' : 'update'
  const isReadOnly = isGone || !may(`${type.uid}.${action}`, locale ?? undefined)
  const actions = useEntryActions(session, state)
  const preview = usePreview(declaration.hasPreview)
  useEntryKeys(actions, preview)
  const { open, drawer } = useOpenForm(session, { isReadOnly, isBegun })
  const fields = useFocusOfNew(session, isBegun)
  useOpenedField(session)
  const shown = useShownLanguage(session, states, isReadOnly)
  const comments = useEntryComments(session, isLive)

  const isPreviewed = preview?.isOpen === true && documentId !== null
  const title = titleAttributeOf(declaration.titleField, attributes)
  return (
    <OpenEntryContext value={open}>
      <div className={styles['entry']}>
        <EntryHead {...{ session, state, changes, actions, preview, others, isReadOnly }} />
        <div className={isPreviewed ? styles['previewed'] : styles['body']}>
          <BesideContext value={shown.beside}>
            <PresentInFieldsContext value={inFields}>
              <FieldCommentsContext value={comments?.fields ?? null}>
                <div
                  ref={fields}
                  className={`${styles['form']} ${shown.beside === null ? '' : styles['pairs']}`}
                >
                  <BesideBar shown={shown} />
                  {title !== null && <TitleOf name={title} session={session} />}
                  <FieldList attributes={attributes} except={title} />
                </div>
              </FieldCommentsContext>
            </PresentInFieldsContext>
          </BesideContext>
          <EntrySide {...{ session, states, others, shown, comments }} />
          {isPreviewed && <PreviewPane {...{ session, documentId }} onChoose={preview.showForm} />}
        </div>
      </div>
      {drawer}
    </OpenEntryContext>
  )
}

function useSaver<Selected extends boolean | number | null>(
  saver: EntrySession['saver'],
  select: () => Selected,
): Selected {
  return useSyncExternalStore(
    useCallback((listener) => saver.subscribe(listener), [saver]),
    select,
  )
}

function TitleOf({ name, session }: { readonly name: string; readonly session: EntrySession }) {
  const attribute = session.plan.attributes[name]
  if (attribute?.type !== 'string' && attribute?.type !== 'text') return null
  return (
    <BesideField {...{ name, attribute }}>
      <TitleField attribute={attribute} name={name} place={name} />
    </BesideField>
  )
}

/** The one-line text attribute that is shown as the title. */
function titleAttributeOf(
  declared: string | null,
  attributes: EntrySession['plan']['attributes'],
): string | null {
  const attribute = declared === null ? undefined : attributes[declared]
  return attribute?.type === 'string' || attribute?.type === 'text' ? declared : null
}

function useFocusOfNew({ door, plan }: EntrySession, isBegun: boolean) {
  const fields = useRef<HTMLDivElement>(null)
  const isNew = door.documentId() === null && plan.type.kind === 'collectionType'
  const begins = useRef(isNew || isBegun)
  useEffect(() => {
    if (begins.current) focusField(fields.current)
    begins.current = false
  }, [])
  return fields
}

/** Opens the field that the address names, once. */
function useOpenedField({ form }: EntrySession): void {
  const { field, linked = '' }: EntryRouteSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  useEffect(() => {
    if (field === undefined) return
    const opened = navigate({
      to: '.',
      search: (search) => ({ ...search, field: undefined, linked: undefined }),
      replace: true,
      resetScroll: false,
    })
    const place = findLink(form.values(), field.split('.'), linked)
    // The router scrolls when it has navigated.
    void opened.then(() => requestAnimationFrame(() => focusPlace(place)))
  }, [field, form, linked, navigate])
}

/** Saves while the form is open, and once more when it closes or becomes hidden. */
function useSavingWhileOpen({ saver }: EntrySession): void {
  useEffect(() => {
    const stop = startSaver(saver)
    const flush = (): void => void saver.saveNow()
    const onHidden = (): void => {
      if (document.hidden && saver.isAutomatic()) flush()
    }
    const onLeave = (): void => saver.keep()
    window.addEventListener('online', flush)
    window.addEventListener('pagehide', onLeave)
    document.addEventListener('visibilitychange', onHidden)
    return () => {
      window.removeEventListener('online', flush)
      window.removeEventListener('pagehide', onLeave)
      document.removeEventListener('visibilitychange', onHidden)
      if (saver.isAutomatic()) flush()
      stop()
    }
  }, [saver])
}

interface NewLinked {
  readonly uid: string
  readonly title: string
  readonly onCreated: (link: Link) => void
  readonly left: EntrySession | null
}

function isOwnIn({ attributes }: EntrySession['plan'], place: string): boolean {
  return attributes[place.split('/')[0] ?? '']?.localized !== false
}

interface FormState {
  readonly isReadOnly: boolean
  readonly isBegun: boolean
}

function useOpenForm({ form, plan, door }: EntrySession, { isReadOnly, isBegun }: FormState) {
  const [isNew] = useState(() => door.documentId() === null)
  const [linked, setLinked] = useState<NewLinked | null>(null)
  const [file, openFile] = useState<FileValue | null>(null)
  const maySeeFiles = useMay()('plugin::upload.content-api.findOne')
  const { t } = useTexts()
  const client = useQueryClient()
  const notifyHere = useOwnNotices()
  const opener = useRef<Element | null>(null)
  useEffect(() => {
    if (linked === null && opener.current instanceof HTMLElement) opener.current.focus()
  }, [linked])
  const open = useMemo(
    (): OpenEntry => ({
      Field,
      form,
      reading: plan.reading,
      uid: plan.type.uid,
      documentId: () => door.documentId(),
      locale: plan.locale,
      isLocalized: plan.type.localized,
      isReadOnly,
      followsTitle: (place) => !door.wasPublished() && (isNew || (isBegun && isOwnIn(plan, place))),
      createLinked: (uid, title, onCreated) => {
        opener.current = document.activeElement
        setLinked({ uid, title, onCreated, left: null })
      },
      ...(maySeeFiles && { openFile }),
    }),
    [form, plan, door, isReadOnly, isNew, isBegun, maySeeFiles],
  )
  const drawer =
    linked === null ? null : (
      <OpenedPart>
        <EntryDrawer
          {...linked}
          locale={plan.locale}
          onClose={(left) => {
            setLinked(null)
            const documentId = door.documentId()
            if (documentId !== null) {
              const entry = { uid: plan.type.uid, documentId, locale: plan.locale }
              void client.invalidateQueries(previewQuery(entry))
            }
            if (left !== null) notifyHere(t('entry.left'), () => setLinked({ ...linked, left }))
          }}
        />
      </OpenedPart>
    )
  const details =
    file === null ? null : (
      <OpenedPart>
        <OpenedFile key={file.id} file={file} locale={plan.locale} onClose={() => openFile(null)} />
      </OpenedPart>
    )
  return { open, drawer: drawer ?? details }
}
