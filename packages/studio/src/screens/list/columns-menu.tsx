import { Button as AriaButton, DialogTrigger } from 'react-aria-components'
import { Button } from '../../design/button.tsx'
import { Checkbox } from '../../design/checkbox.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { PopoverDialog } from '../../design/popover-dialog.tsx'
import { notify } from '../../design/toasts.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './columns-menu.module.css'
import { useColumnName } from './use-column-name.ts'
import type { List } from './use-list.ts'

export function ColumnsMenu({ list }: { readonly list: List }) {
  const { t } = useTexts()
  const nameOf = useColumnName(list.declaration.attributes)
  const shown = list.columns.map(({ name }) => name)
  const others = list.all.map(({ name }) => name).filter((name) => !shown.includes(name))
  const move = (at: number, by: number): void => {
    const name = shown[at]
    if (name !== undefined) list.chooseColumns(shown.toSpliced(at, 1).toSpliced(at + by, 0, name))
  }
  return (
    <DialogTrigger>
      <Button>{t('list.columns')}</Button>
      <PopoverDialog label={t('list.columns')} placement="bottom end">
        {() => (
          <>
            <ul className={styles['columns']}>
              {shown.map((name, at) => (
                <li key={name} className={styles['column']}>
                  <Checkbox
                    isSelected
                    onChange={() => {
                      list.chooseColumns(shown.filter((one) => one !== name))
                      notify(t('list.columnRemoved', { name: nameOf(name) }), list.columnsBack())
                    }}
                  >
                    {nameOf(name)}
                  </Checkbox>
                  <Move
                    name="up"
                    label={t('list.columnUp', { name: nameOf(name) })}
                    isDisabled={at === 0}
                    onPress={() => move(at, -1)}
                  />
                  <Move
                    name="down"
                    label={t('list.columnDown', { name: nameOf(name) })}
                    isDisabled={at === shown.length - 1}
                    onPress={() => move(at, 1)}
                  />
                </li>
              ))}
              {others.map((name) => (
                <li key={name} className={styles['column']}>
                  <Checkbox
                    isSelected={false}
                    onChange={() => list.chooseColumns([...shown, name])}
                  >
                    {nameOf(name)}
                  </Checkbox>
                </li>
              ))}
            </ul>
            <Button
              look="quiet"
              small
              onPress={() => {
                list.chooseColumns(null)
                notify(t('list.columnsReset'), list.columnsBack())
              }}
            >
              {t('list.columnsDefault')}
            </Button>
          </>
        )}
      </PopoverDialog>
    </DialogTrigger>
  )
}

interface MoveProps {
  readonly name: 'up' | 'down'
  readonly label: string
  readonly isDisabled: boolean
  readonly onPress: () => void
}

function Move({ name, label, isDisabled, onPress }: MoveProps) {
  return (
    <AriaButton
      aria-label={label}
      isDisabled={isDisabled}
      onPress={onPress}
      className={styles['move'] ?? ''}
    >
      <Icon name={name} size={14} />
    </AriaButton>
  )
}
