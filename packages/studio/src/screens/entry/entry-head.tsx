import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { EntrySession } from '../../entry/entry-session.ts'
import { apiNameOf, entryNameOf, listTitleOf } from '../../api/content-types.ts'
import type { UnpublishedChanges } from '../../api/entry-facts.ts'
import type { Presence } from '../../api/presence.ts'
import { useMay } from '../../api/session.ts'
import { tabTitle } from '../../design/branding.ts'
import { Avatar } from '../../design/avatar.tsx'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { Dropdown, DropdownItem } from '../../design/menu.tsx'
import { personTone } from '../../design/person-tone.ts'
import { StateMark } from '../../design/state-mark.tsx'
import { notify } from '../../design/toasts.tsx'
import { useFromValue } from '../../fields/open-entry.ts'
import { useTexts } from '../../texts/texts.ts'
import { ChangedFields } from '../history/changed-fields.tsx'
import { useUndoDeletion } from '../trash/use-undo-deletion.ts'
import { DeleteDialog, hasUsages } from './delete-dialog.tsx'
import styles from './entry-form.module.css'
import { SaveNote } from './save-note.tsx'
import { type Offered, useOfferedActions } from './use-offered-actions.tsx'

export interface EntryHeadProps extends Offered {
  readonly changes: UnpublishedChanges | undefined
  readonly others: readonly Presence[]
}

export function EntryHead(props: EntryHeadProps) {
  const { session, state, changes, actions, preview, others, isReadOnly } = props
  useOfferedActions(props)
  const { type, locale } = session.plan
  const { t, locale: nameOf } = useTexts()
  const isSingle = type.kind === 'singleType'
  const shown = session.door.documentId() === null ? 'draft' : state
  return (
    <header className={styles['head']}>
      <Heading session={session} />
      {isSingle ? (
        <span className={styles['crumb']}>{type.displayName}</span>
      ) : (
        <Link to="/content/$type" params={{ type: apiNameOf(type) }} className={styles['crumb']}>
          {listTitleOf(type)} /
        </Link>
      )}
      {locale !== null && <span className={styles['locale']}>{nameOf(locale)}</span>}
      {type.draftAndPublish && shown !== undefined && <StateMark state={shown} />}
      <SaveNote saver={session.saver} attributes={session.plan.attributes} />
      <div className={styles['actions']}>
        {others.map(({ id, name }) => (
          <Avatar key={id} name={name} tone={personTone(id)} />
        ))}
        {preview !== null && (
          <Button
            look="quiet"
            aria-pressed={preview.isOpen}
            isDisabled={session.door.documentId() === null}
            onPress={preview.toggle}
          >
            {t('preview.open')}
          </Button>
        )}
        {!isReadOnly && !type.draftAndPublish && (
          <Button look="primary" isDisabled={actions.isBusy} onPress={() => void actions.save()}>
            {t('action.save')}
          </Button>
        )}
        {changes !== undefined && <ChangedFields {...{ session, changes }} />}
        {type.draftAndPublish && <PublishButton {...{ session, state, actions }} />}
        <MoreActions {...{ session, state, actions, isReadOnly }} />
      </div>
    </header>
  )
}

function Heading({ session }: { readonly session: EntrySession }) {
  const { declaration, type } = session.plan
  const { t, language } = useTexts()
  const name = declaration.titleField ?? Object.keys(declaration.attributes)[0] ?? ''
  const value = useFromValue<unknown, string>(name, (held) =>
    typeof held === 'string' || typeof held === 'number' ? String(held) : '',
  )
  const title = value === '' ? t('palette.new', { name: entryNameOf(type, language) }) : value
  useEffect(() => {
    document.title = tabTitle(title)
  }, [title])
  return <h1 className={styles['unseen']}>{title}</h1>
}

type Parts = Pick<EntryHeadProps, 'session' | 'state' | 'actions'>

function PublishButton({ session, state, actions }: Parts) {
  const { plan } = session
  const { t } = useTexts()
  const may = useMay()
  if (!may(`${plan.type.uid}.publish`, plan.locale ?? undefined)) return null
  return (
    <Button
      look="primary"
      isDisabled={actions.isBusy || state === 'published'}
      onPress={() => void actions.publish()}
    >
      {t(state === 'changed' ? 'entry.publishChanges' : 'entry.publish')}
    </Button>
  )
}

function MoreActions({
  session,
  state,
  actions,
  isReadOnly,
}: Parts & { readonly isReadOnly: boolean }) {
  const { plan, door } = session
  const { t, locale: nameOf } = useTexts()
  const may = useMay()
  const client = useQueryClient()
  const [isAsking, ask] = useState(false)
  const { remove, isForGood } = useDeletion({ session, state, actions })
  if (door.documentId() === null) return null
  const allowed = (action: string): boolean =>
    may(`${plan.type.uid}.${action}`, plan.locale ?? undefined)
  const { draftAndPublish } = plan.type
  const isPublished = state === 'published' || state === 'changed'
  const offers = {
    unpublish: draftAndPublish && allowed('publish'),
    discard: draftAndPublish && !isReadOnly,
    duplicate: plan.type.kind === 'collectionType' && allowed('create'),
    delete: allowed('delete'),
  }
  const disabled = [
    ...(isPublished ? [] : ['unpublish']),
    ...(state === 'changed' ? [] : ['discard']),
  ]
  if (!Object.values(offers).includes(true)) return null
  const askOrRemove = async (): Promise<void> => {
    const isLinked = await hasUsages(client, plan.type.uid, door.documentId() ?? '')
    if (isForGood || isLinked) ask(true)
    else void remove()
  }
  const { unpublish, discard, duplicate } = actions
  const run = { unpublish, discard, duplicate }
  return (
    <>
      <Dropdown
        onAction={(action) => {
          if (action === 'delete') void askOrRemove()
          else void run[action as keyof typeof run]()
        }}
        disabledKeys={disabled}
        trigger={
          <Button look="quiet" square aria-label={t('action.more')}>
            <Icon name="more" />
          </Button>
        }
      >
        {offers.unpublish && <DropdownItem id="unpublish">{t('entry.unpublish')}</DropdownItem>}
        {offers.discard && <DropdownItem id="discard">{t('entry.discard')}</DropdownItem>}
        {offers.duplicate && <DropdownItem id="duplicate">{t('entry.duplicate')}</DropdownItem>}
        {offers.delete && (
          <DropdownItem id="delete" tone="danger">
            {plan.locale === null
              ? t('entry.delete')
              : t('entry.deleteIn', { name: nameOf(plan.locale) })}
          </DropdownItem>
        )}
      </Dropdown>
      <DeleteDialog
        {...{ session, isAsking, isForGood }}
        onDelete={() => void remove()}
        onClose={() => ask(false)}
      />
    </>
  )
}

/** Deletes without a dialog if the trash can restore the entry, and offers an undo. */
function useDeletion({ session, state, actions }: Parts) {
  const { type, locale } = session.plan
  const { t } = useTexts()
  const navigate = useNavigate()
  const undo = useUndoDeletion(type, locale)
  const remove = async (): Promise<void> => {
    const documentId = session.door.documentId() ?? ''
    if (!(await actions.remove())) return
    const before = { documentId, state: type.draftAndPublish ? state : undefined }
    notify(t('entry.deleted'), undo === null ? undefined : () => undo([before]))
    if (type.kind === 'singleType') await navigate({ to: '/' })
    else await navigate({ to: '/content/$type', params: { type: apiNameOf(type) } })
    document.getElementById('content')?.focus()
  }
  return { remove, isForGood: undo === null }
}
