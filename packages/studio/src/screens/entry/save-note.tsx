import { useCallback, useEffect, useReducer, useSyncExternalStore } from 'react'
import type { Autosave } from '../../entry/autosave.ts'
import { labelOf } from '../../texts/labels.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './entry-form.module.css'

const MINUTE = 60_000

/** Says "Saved" only when the server has all values of the form. */
export function SaveNote({ saver }: { readonly saver: Autosave }) {
  const saved = useSyncExternalStore(
    useCallback((listener) => saver.subscribe(listener), [saver]),
    () => saver.state(),
  )
  const { t, ago } = useTexts()
  const [, redraw] = useReducer((turn: number) => turn + 1, 0)
  useEffect(() => {
    const timer = setInterval(redraw, MINUTE)
    return () => clearInterval(timer)
  }, [])
  const isTrouble = ['held', 'refused', 'unreachable', 'gone'].includes(saved.kind)
  return (
    <span role="status" className={`${styles['saved']} ${isTrouble ? styles['trouble'] : ''}`}>
      {textOf()}
    </span>
  )

  function textOf(): string {
    switch (saved.kind) {
      case 'saved':
        return saved.at === null ? '' : t('save.saved', { when: ago(new Date(saved.at)) })
      case 'held':
        return t('save.held', { names: saved.attributes.map(labelOf).join(', ') })
      case 'refused':
        return saved.message
      case 'unsaved':
        return t(saver.isAutomatic() ? 'save.unsaved' : 'save.waiting')
      default:
        return t(`save.${saved.kind}`)
    }
  }
}
