import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button as AriaButton, DialogTrigger } from 'react-aria-components'
import { useMay } from '../../api/session.ts'
import { addView, changeView, deleteView, type ListView, viewsQuery } from '../../api/views.ts'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { Skeleton } from '../../design/late.tsx'
import { Dropdown, DropdownItem } from '../../design/menu.tsx'
import { NameDialog } from '../../design/name-dialog.tsx'
import { PopoverDialog } from '../../design/popover-dialog.tsx'
import { useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import { isSameSearch, searchOfView, viewedSearch } from './list-search.ts'
import { SaveViewDialog } from './save-view-dialog.tsx'
import type { List } from './use-list.ts'
import styles from './views-menu.module.css'

/** Saved lists of the user and of the team. They are read when the menu opens. */
export function ViewsMenu({ list }: { readonly list: List }) {
  const { t } = useTexts()
  const { uid } = list.declaration
  const [isOpen, setOpen] = useState(false)
  const [renamed, rename] = useState<ListView | null>(null)
  const [isSaving, setSaving] = useState(false)
  return (
    <>
      <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
        <Button>{t('views.title')}</Button>
        <PopoverDialog label={t('views.title')} placement="bottom end">
          {(close) => (
            <Views
              list={list}
              close={close}
              onRename={(view) => {
                close()
                rename(view)
              }}
              onSave={() => {
                close()
                setSaving(true)
              }}
            />
          )}
        </PopoverDialog>
      </DialogTrigger>
      {isSaving && (
        <SaveViewDialog uid={uid} search={savedOf(list)} onClose={() => setSaving(false)} />
      )}
      {renamed !== null && (
        <NameDialog
          title={t('views.rename')}
          name={renamed.name}
          onClose={() => rename(null)}
          save={(name) => changeView(uid, renamed.id, { name })}
          changes={['views']}
        />
      )}
    </>
  )
}

function savedOf({ search, columns }: List): Record<string, unknown> {
  return viewedSearch(
    search,
    columns.map(({ name }) => name),
  )
}

interface ViewsProps {
  readonly list: List
  readonly close: () => void
  readonly onRename: (view: ListView) => void
  readonly onSave: () => void
}

function Views({ list, close, onRename, onSave }: ViewsProps) {
  const { t } = useTexts()
  const { data, error, refetch } = useQuery(viewsQuery(list.declaration.uid))
  if (error !== null) {
    return (
      <>
        <p className={styles['hint']}>{error.message}</p>
        <Button onPress={() => void refetch()}>{t('action.retry')}</Button>
      </>
    )
  }
  if (data === undefined) return <Skeleton lines={3} />
  const parts = [
    ['views.own', data.filter(({ shared }) => !shared)],
    ['views.shared', data.filter(({ shared }) => shared)],
  ] as const
  return (
    <>
      {data.length === 0 && <p className={styles['hint']}>{t('views.none')}</p>}
      {parts
        .filter(([, views]) => views.length > 0)
        .map(([title, views]) => (
          <section key={title} className={styles['part']} aria-label={t(title)}>
            <h3 className={styles['title']}>{t(title)}</h3>
            <ul className={styles['views']}>
              {views.map((view) => (
                <ViewRow key={view.id} list={list} view={view} close={close} onRename={onRename} />
              ))}
            </ul>
          </section>
        ))}
      <Button small onPress={onSave}>
        {t('views.save')}
      </Button>
    </>
  )
}

interface ViewRowProps extends Omit<ViewsProps, 'onSave'> {
  readonly view: ListView
}

function ViewRow({ list, view, close, onRename }: ViewRowProps) {
  const mayManage = useMay()('admin::administrators.update')
  const search = searchOfView(view.search)
  const isShown = isSameSearch(search, savedOf(list))
  return (
    <li className={styles['view']}>
      <AriaButton
        className={styles['open'] ?? ''}
        {...(isShown && { 'aria-current': true })}
        onPress={() => {
          close()
          void list.open(search)
        }}
      >
        <span className={styles['name']}>{view.name}</span>
        {!view.own && view.by !== null && <span className={styles['by']}>{view.by}</span>}
      </AriaButton>
      {(view.own || mayManage) && (
        <ViewActions list={list} view={view} close={close} onRename={onRename} />
      )}
    </li>
  )
}

function ViewActions({ list, view, close, onRename }: ViewRowProps) {
  const { t } = useTexts()
  const { run } = useAction()
  const { uid } = list.declaration
  const { id, name, shared } = view
  // While the menu is open, the notice with its undo cannot be pressed.
  const act = (work: () => Promise<void>, says: string, undo: () => Promise<void>): void => {
    close()
    run(work, { changes: ['views'], says, undo: () => undo })
  }
  const change = (input: Partial<ListView>, says: string): void =>
    act(
      () => changeView(uid, id, input),
      says,
      () => changeView(uid, id, pick(view, input)),
    )
  return (
    <Dropdown
      aria-label={t('views.actions', { name })}
      trigger={
        <Button square small look="quiet" aria-label={t('views.actions', { name })}>
          <Icon name="more" />
        </Button>
      }
    >
      <DropdownItem onAction={() => onRename(view)}>{t('views.rename')}</DropdownItem>
      <DropdownItem
        onAction={() => change({ search: savedOf(list) }, t('views.replaced', { name }))}
      >
        {t('views.replace')}
      </DropdownItem>
      <DropdownItem
        onAction={() =>
          change({ shared: !shared }, t(shared ? 'views.notShared' : 'views.nowShared', { name }))
        }
      >
        {t(shared ? 'views.unshare' : 'views.share')}
      </DropdownItem>
      <DropdownItem
        tone="danger"
        onAction={() =>
          act(
            () => deleteView(uid, id),
            t('views.deleted', { name }),
            () => addView(uid, { name, shared, search: view.search }),
          )
        }
      >
        {t('action.delete')}
      </DropdownItem>
    </Dropdown>
  )
}

/** The present values of the members that change. */
function pick(view: ListView, input: Partial<ListView>): Partial<ListView> {
  return Object.fromEntries(Object.entries(view).filter(([name]) => name in input))
}
