import type { EntrySession } from '../../entry/entry-session.ts'
import type { EntryState } from '../../api/entries.ts'
import { useMay } from '../../api/session.ts'
import { type Command, useOffer } from '../../design/commands.ts'
import { Icon } from '../../design/icons/icon.tsx'
import type { IconName } from '../../design/icons/icons.ts'
import { type Texts, useTexts } from '../../texts/texts.ts'
import type { EntryActions } from './use-entry-actions.ts'
import type { Preview } from './use-preview.ts'

export interface Offered {
  readonly session: EntrySession
  readonly state: EntryState | undefined
  readonly actions: EntryActions
  readonly preview: Preview | null
  readonly isReadOnly: boolean
}

export function useOfferedActions(props: Offered): void {
  const { session, actions, preview, isReadOnly } = props
  const { plan, door } = session
  const { t } = useTexts()
  const may = useMay()
  const { draftAndPublish, uid } = plan.type
  const mayCopy =
    door.documentId() !== null &&
    plan.type.kind === 'collectionType' &&
    may(`${uid}.create`, plan.locale ?? undefined)
  const isPreviewed = preview !== null && door.documentId() !== null
  useOffer([
    ...(draftAndPublish
      ? versionCommands(props, may(`${uid}.publish`, plan.locale ?? undefined), t)
      : command(!isReadOnly, 'save', t('action.save'), actions.save)),
    ...command(mayCopy, 'duplicate', t('entry.duplicate'), actions.duplicate),
    ...command(isPreviewed, 'preview', t('preview.open'), () => preview?.toggle()),
  ])
}

function versionCommands(
  { session, state, actions, isReadOnly }: Offered,
  mayPublish: boolean,
  t: Texts['t'],
): readonly Command[] {
  const isPublished = state === 'published' || state === 'changed'
  const isStored = session.door.documentId() !== null
  const isChanged = state === 'changed'
  const publish = isChanged
    ? command(mayPublish, 'publish', t('entry.publishChanges'), actions.publish)
    : command(mayPublish && state !== 'published', 'publish', t('entry.publish'), actions.publish)
  return [
    ...(isChanged ? asking(publish, t('entry.publishChanges.hint')) : publish),
    ...asking(
      command(
        mayPublish && isStored && isPublished,
        'unpublish',
        t('entry.unpublish'),
        actions.unpublish,
      ),
      t('entry.unpublish.hint'),
    ),
    ...asking(
      command(!isReadOnly && isChanged, 'discard', t('entry.discard'), actions.discard),
      t('entry.discard.hint'),
    ),
  ]
}

function asking(commands: readonly Command[], asks: string): readonly Command[] {
  return commands.map((one) => ({ ...one, asks }))
}

const ACTION_ICONS = {
  save: 'save',
  duplicate: 'copy',
  preview: 'eye',
  publish: 'publish',
  unpublish: 'unpublish',
  discard: 'undo',
} as const satisfies Readonly<Record<string, IconName>>

type ActionId = keyof typeof ACTION_ICONS

function command(
  isOffered: boolean,
  id: ActionId,
  text: string,
  run: () => unknown,
): readonly Command[] {
  return isOffered
    ? [{ id, icon: <Icon name={ACTION_ICONS[id]} />, text, run: () => void run() }]
    : []
}
