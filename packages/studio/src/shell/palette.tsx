import { type KeyboardEvent, useState } from 'react'
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
} from 'react-aria-components'
import { type Command, offeredCommands } from '../design/commands.ts'
import { ConfirmDialog } from '../design/confirm-dialog.tsx'
import { useTexts } from '../texts/texts.ts'
import { useFoundEntries } from './found-entries.tsx'
import styles from './palette.module.css'
import { useCreations, useGeneralActions, usePlaces } from './palette-commands.tsx'

/** Ctrl/⌘-K: open a screen, create an entry or find one by a part of its title. */
export function Palette({
  isOpen,
  typed,
  onClose,
  onHelp,
}: {
  readonly isOpen: boolean
  /** The text that was typed while the palette loaded. */
  readonly typed: { readonly current: string }
  readonly onClose: () => void
  readonly onHelp: () => void
}) {
  const { t } = useTexts()
  const [asked, ask] = useState<Command | null>(null)
  if (asked !== null) return <AskFirst command={asked} onClose={onClose} />
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      isDismissable
      className={styles['scrim'] ?? ''}
    >
      <Modal className={styles['modal'] ?? ''}>
        <Dialog aria-label={t('palette.title')} className={styles['dialog'] ?? ''}>
          <PaletteContent {...{ typed, onClose, onHelp }} onAsk={ask} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

interface AskFirstProps {
  readonly command: Command
  readonly onClose: () => void
}

function AskFirst({ command: { text, asks, run }, onClose }: AskFirstProps) {
  const { t } = useTexts()
  return (
    <ConfirmDialog
      title={t('palette.ask', { name: text })}
      confirm={text}
      isOpen
      onClose={onClose}
      onConfirm={() => {
        onClose()
        run()
      }}
    >
      {asks}
    </ConfirmDialog>
  )
}

interface PaletteContentProps {
  readonly typed: { readonly current: string }
  readonly onClose: () => void
  readonly onHelp: () => void
  readonly onAsk: (command: Command) => void
}

function PaletteContent({ typed, onClose, onHelp, onAsk }: PaletteContentProps) {
  const { t, language } = useTexts()
  const [text, setText] = useState(() => typed.current)
  const [turn, setTurn] = useState(0)
  const wanted = text.trim().toLocaleLowerCase(language)
  const isWanted = (command: Command): boolean =>
    command.text.toLocaleLowerCase(language).includes(wanted)
  const [offered] = useState(offeredCommands)
  const general = useGeneralActions(onHelp)
  const here = offered.filter(isWanted)
  const groups = [
    { title: t('palette.here'), commands: here.filter(({ asks }) => asks === undefined) },
    { title: t('palette.go'), commands: usePlaces().filter(isWanted) },
    { title: t('palette.create'), commands: useCreations().filter(isWanted) },
    { title: t('palette.entries'), commands: useFoundEntries(wanted) },
    { title: t('palette.person'), commands: wanted === '' ? [] : general.filter(isWanted) },
    { title: t('palette.asking'), commands: here.filter(({ asks }) => asks !== undefined) },
  ].filter(({ commands }) => commands.length > 0)
  /** Remounts the list, which would otherwise preselect its first command for an empty text. */
  const empty = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || text === '') return
    event.preventDefault()
    event.stopPropagation()
    setText('')
    setTurn(turn + 1)
  }
  return (
    <Autocomplete key={turn} inputValue={text} onInputChange={setText}>
      <SearchField aria-label={t('palette.title')} autoFocus>
        <Input
          className={styles['input'] ?? ''}
          placeholder={t('palette.placeholder')}
          onKeyDownCapture={empty}
        />
      </SearchField>
      <Menu
        aria-label={t('palette.title')}
        className={styles['list'] ?? ''}
        renderEmptyState={() => <p className={styles['empty']}>{t('palette.empty', { text })}</p>}
      >
        {groups.map(({ title, commands }) => (
          <MenuSection key={title}>
            <Header className={styles['header'] ?? ''}>{title}</Header>
            {commands.map(({ id, icon, text: name, note, asks, run }) => (
              <MenuItem
                key={id}
                id={id}
                textValue={name}
                className={styles['item'] ?? ''}
                onAction={() => {
                  if (asks !== undefined) return onAsk({ id, text: name, asks, run })
                  onClose()
                  run()
                }}
              >
                <span className={styles['icon']}>{icon}</span>
                <span className={styles['name']}>{name}</span>{' '}
                {note !== undefined && <span className={styles['note']}>{note}</span>}
              </MenuItem>
            ))}
          </MenuSection>
        ))}
      </Menu>
    </Autocomplete>
  )
}
