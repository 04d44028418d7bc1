import { useState } from 'react'
import { useTypes } from '../../api/content-types.ts'
import { useLocales } from '../../api/locales.ts'
import { addToRelease, type NewItem, type Release, removeFromRelease } from '../../api/releases.ts'
import type { PlannedAction } from '../../api/schedules.ts'
import { Button } from '../../design/button.tsx'
import { Choice } from '../../design/choice.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { useAction } from '../../design/use-action.ts'
import { EntrySearch } from '../../fields/blocks/entry-search.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './planning.module.css'

const ACTIONS: readonly PlannedAction[] = ['publish', 'unpublish']

/** Adds entries to a release on its page. The dialog stays open for the next one. */
export function AddEntries({ release }: { readonly release: Release }) {
  const { t } = useTexts()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onPress={() => setOpen(true)}>{t('releases.addEntries')}</Button>
      <Dialog title={t('releases.addEntries')} isOpen={isOpen} onClose={() => setOpen(false)}>
        <Chooser release={release} />
      </Dialog>
    </>
  )
}

function Chooser({ release }: { readonly release: Release }) {
  const texts = useTexts()
  const { t } = texts
  const types = useTypes()
  const codes = useLocales().map(({ code }) => code)
  const [locale, setLocale] = useState(codes[0] ?? null)
  const [verb, setVerb] = useState<PlannedAction>('publish')
  const action = useAction()
  const add = (item: NewItem, title: string): void =>
    action.run(() => addToRelease(release.id, [item]), {
      changes: ['releases'],
      says: t('releases.added', { name: title }),
      undo: ({ items }) => undoOf(release, items, item),
    })
  return (
    <div className={styles['choose']}>
      <Choice
        label={t('schedule.action')}
        options={ACTIONS.map((id) => ({ id, name: t(`schedule.${id}`) }))}
        value={verb}
        onChange={(id) => setVerb(id === 'unpublish' ? 'unpublish' : 'publish')}
      />
      {locale !== null && codes.length > 1 && (
        <Choice
          label={t('list.language')}
          options={codes.map((id) => ({ id, name: texts.locale(id) }))}
          value={locale}
          onChange={setLocale}
        />
      )}
      <EntrySearch
        isOffered={({ draftAndPublish }) => draftAndPublish}
        onChoose={({ type: uid, documentId }, title) => {
          const isLocalized = types.find((one) => one.uid === uid)?.localized === true
          add({ uid, documentId, locale: isLocalized ? locale : null, action: verb }, title)
        }}
      />
    </div>
  )
}

/** Undefined for an entry that was in the release before. */
function undoOf({ id, items: before }: Release, items: Release['items'], item: NewItem) {
  const isSame = (one: Release['items'][number]): boolean =>
    one.uid === item.uid &&
    one.documentId === item.documentId &&
    (one.locale ?? null) === item.locale
  const added = items.find(isSame)
  if (added === undefined || before.some(isSame)) return undefined
  return () => removeFromRelease(id, added.id)
}
