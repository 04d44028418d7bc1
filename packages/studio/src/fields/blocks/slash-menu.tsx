import { useEffect } from 'react'
import { Drawing } from '../../design/icons/icon.tsx'
import { TOOL_ICONS } from '../../design/icons/tool-icons.ts'
import { useTexts } from '../../texts/texts.ts'
import type { Editor } from './open-blocks-editor.ts'
import type { SlashItem } from './slash.ts'
import styles from './slash-menu.module.css'

export interface SlashMenuProps {
  readonly id: string
  readonly editor: Editor
  readonly items: readonly SlashItem[]
  readonly active: number
  readonly onActivate: (index: number) => void
  readonly onChoose: (item: SlashItem) => void
}

/** The focus stays in the text, which names the active option for screen readers. */
export function SlashMenu({ id, editor, items, active, onActivate, onChoose }: SlashMenuProps) {
  const { t } = useTexts()
  const activeId = `${id}-${items[active]?.id ?? ''}`
  useEffect(() => {
    const { dom } = editor.view
    const names = {
      'aria-haspopup': 'listbox',
      'aria-controls': id,
      'aria-activedescendant': activeId,
    }
    for (const [name, value] of Object.entries(names)) dom.setAttribute(name, value)
    return () => {
      for (const name of Object.keys(names)) dom.removeAttribute(name)
    }
  }, [editor, id, activeId])
  return (
    <div id={id} role="listbox" aria-label={t('blocks.insert')} className={styles['menu']}>
      {items.map((item, index) => (
        <div
          key={item.id}
          id={`${id}-${item.id}`}
          role="option"
          aria-selected={index === active}
          className={styles['item']}
          onMouseDown={(event) => event.preventDefault()}
          onMouseMove={() => onActivate(index)}
          onClick={() => onChoose(item)}
        >
          <Drawing path={TOOL_ICONS[item.icon]} size={15} />
          {item.name}
        </div>
      ))}
    </div>
  )
}
