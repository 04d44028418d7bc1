import { useNavigate } from '@tanstack/react-router'
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
  useFilter,
} from 'react-aria-components'
import { apiNameOf, listTitleOf } from '../api/content-types.ts'
import { useTexts } from '../texts/texts.ts'
import { useReadableTypes } from './navigation.tsx'
import styles from './palette.module.css'

interface Command {
  readonly id: string
  readonly text: string
  readonly note?: string
  readonly run: () => void
}

/** Ctrl/⌘-K: go somewhere by typing a piece of its name. */
export function Palette({
  isOpen,
  onClose,
}: {
  readonly isOpen: boolean
  readonly onClose: () => void
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
          <PaletteContent onClose={onClose} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

function PaletteContent({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTexts()
  const { contains } = useFilter({ sensitivity: 'base' })
  const places = usePlaces()
  return (
    <Autocomplete filter={contains}>
      <SearchField aria-label={t('palette.title')} autoFocus className={styles['field'] ?? ''}>
        <Input className={styles['input'] ?? ''} placeholder={t('palette.placeholder')} />
      </SearchField>
      <Menu
        aria-label={t('palette.title')}
        className={styles['list'] ?? ''}
        renderEmptyState={() => <p className={styles['empty']}>–</p>}
      >
        <MenuSection>
          <Header className={styles['header'] ?? ''}>{t('palette.go')}</Header>
          {places.map(({ id, text, run }) => (
            <MenuItem
              key={id}
              id={id}
              textValue={text}
              className={styles['item'] ?? ''}
              onAction={() => {
                onClose()
                run()
              }}
            >
              {text}
            </MenuItem>
          ))}
        </MenuSection>
      </Menu>
    </Autocomplete>
  )
}

function usePlaces(): readonly Command[] {
  const { t } = useTexts()
  const navigate = useNavigate()
  const types = useReadableTypes()
  return [
    { id: 'home', text: t('nav.home'), run: () => void navigate({ to: '/' }) },
    ...types.map((type) => ({
      id: type.uid,
      text: listTitleOf(type),
      run: () => void navigate({ to: '/content/$type', params: { type: apiNameOf(type) } }),
    })),
  ]
}
