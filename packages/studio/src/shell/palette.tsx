import { useState } from 'react'
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
import { useTexts } from '../texts/texts.ts'
import { useFoundEntries } from './found-entries.ts'
import styles from './palette.module.css'
import { useCreations, useGeneralActions, usePlaces } from './palette-commands.ts'

/** Ctrl/⌘-K: go somewhere, begin something or find an entry by typing a piece of its name. */
export function Palette({
  isOpen,
  onClose,
  onHelp,
}: {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onHelp: () => void
}) {
  const { t } = useTexts()
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
          <PaletteContent onClose={onClose} onHelp={onHelp} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

function PaletteContent({
  onClose,
  onHelp,
}: {
  readonly onClose: () => void
  readonly onHelp: () => void
}) {
  const { t, language } = useTexts()
  const [text, setText] = useState('')
  const wanted = text.trim().toLocaleLowerCase(language)
  const isWanted = (command: Command): boolean =>
    command.text.toLocaleLowerCase(language).includes(wanted)
  const [offered] = useState(offeredCommands)
  const general = useGeneralActions(onHelp)
  const groups = [
    { title: t('palette.here'), commands: offered.filter(isWanted) },
    { title: t('palette.go'), commands: usePlaces().filter(isWanted) },
    { title: t('palette.create'), commands: useCreations().filter(isWanted) },
    { title: t('palette.entries'), commands: useFoundEntries(wanted) },
    { title: t('palette.person'), commands: wanted === '' ? [] : general.filter(isWanted) },
  ].filter(({ commands }) => commands.length > 0)
  return (
    <Autocomplete inputValue={text} onInputChange={setText}>
      <SearchField aria-label={t('palette.title')} autoFocus>
        <Input className={styles['input'] ?? ''} placeholder={t('palette.placeholder')} />
      </SearchField>
      <Menu
        aria-label={t('palette.title')}
        className={styles['list'] ?? ''}
        renderEmptyState={() => <p className={styles['empty']}>{t('palette.empty', { text })}</p>}
      >
        {groups.map(({ title, commands }) => (
          <MenuSection key={title}>
            <Header className={styles['header'] ?? ''}>{title}</Header>
            {commands.map(({ id, text: name, note, run }) => (
              <MenuItem
                key={id}
                id={id}
                textValue={name}
                className={styles['item'] ?? ''}
                onAction={() => {
                  onClose()
                  run()
                }}
              >
                {name} {note !== undefined && <span className={styles['note']}>{note}</span>}
              </MenuItem>
            ))}
          </MenuSection>
        ))}
      </Menu>
    </Autocomplete>
  )
}
