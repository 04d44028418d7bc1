import { useState } from 'react'
import { addFolder, deleteFolder, pathTo, renameFolder } from '../../api/files.ts'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { Dropdown, DropdownItem } from '../../design/menu.tsx'
import { NameDialog } from '../../design/name-dialog.tsx'
import { useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './folder-bar.module.css'
import type { Media } from './use-media.ts'

export function FolderBar({ media }: { readonly media: Media }) {
  const { t, number } = useTexts()
  const { search, change, folders, isEverywhere } = media
  const path = pathTo(search.folder, folders)
  const within = folders.filter(({ parent }) => parent === (search.folder ?? null))
  if (isEverywhere && search.folder === undefined) return null
  return (
    <>
      {path.length > 0 && (
        <div className={styles['path']}>
          <Button look="quiet" small onPress={() => change({ folder: undefined })}>
            {t('nav.media')}
          </Button>
          {path.map(({ id, name }) => (
            <Button key={id} look="quiet" small onPress={() => change({ folder: id })}>
              / {name}
            </Button>
          ))}
          <FolderMenu media={media} />
        </div>
      )}
      {within.length > 0 && (
        <ul className={styles['folders']} aria-label={t('media.folders')}>
          {within.map(({ id, name, files }) => (
            <li key={id}>
              <Button onPress={() => change({ folder: id })}>
                <Icon name="folder" />
                {name}
                <span className={styles['count']}>{number(files)}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function FolderMenu({ media: { search, change, folders } }: { readonly media: Media }) {
  const { t } = useTexts()
  const may = useMay()
  const action = useAction()
  const [isNaming, setNaming] = useState(false)
  const folder = folders.find(({ id }) => id === search.folder)
  if (folder === undefined || !may('plugin::upload.content-api.upload')) return null
  const trigger = (
    <Button look="quiet" square small aria-label={`${t('action.more')}: ${folder.name}`}>
      <Icon name="more" />
    </Button>
  )
  const remove = (): void =>
    action.run(() => deleteFolder(folder.id), {
      changes: ['folders', 'files'],
      says: t('media.folderDeleted', { name: folder.name }),
      undo: () => () => addFolder(folder.name, folder.parent),
      onDone: () => change({ folder: folder.parent ?? undefined }),
    })
  return (
    <>
      <Dropdown trigger={trigger} aria-label={folder.name}>
        <DropdownItem onAction={() => setNaming(true)}>{t('media.rename')}</DropdownItem>
        <DropdownItem onAction={remove} tone="danger">
          {t('media.deleteFolder')}
        </DropdownItem>
      </Dropdown>
      {isNaming && (
        <NameDialog
          title={t('media.rename')}
          name={folder.name}
          onClose={() => setNaming(false)}
          save={(name) => renameFolder(folder.id, name)}
          changes={['folders']}
        />
      )}
    </>
  )
}

export function NewFolder({ media }: { readonly media: Media }) {
  const { t } = useTexts()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onPress={() => setOpen(true)}>{t('media.newFolder')}</Button>
      {isOpen && (
        <NameDialog
          title={t('media.newFolder')}
          name=""
          onClose={() => setOpen(false)}
          save={(name) => addFolder(name, media.search.folder ?? null)}
          changes={['folders']}
        />
      )}
    </>
  )
}
