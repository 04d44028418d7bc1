import { useCallback, useEffect, useReducer, useSyncExternalStore } from 'react'
import type { Autosave } from '../../entry/autosave.ts'
import type { Attributes } from '../../api/attributes.ts'
import { fieldLabel } from '../../texts/field-words.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './entry-form.module.css'

const MINUTE = 60_000

/** Says "Saved" only when the server has all values of the form. */
export function SaveNote({
  saver,
  attributes,
}: {
  readonly saver: Autosave
  readonly attributes: Attributes
}) {
  const saved = useSyncExternalStore(
    useCallback((listener) => saver.subscribe(listener), [saver]),
    () => saver.state(),
  )
  const { t, ago, language } = useTexts()
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
        return t('save.held', {
          names: saved.attributes
            .map((name) => fieldLabel(name, attributes[name], language))
            .join(', '),
        })
      case 'refused':
        return saved.message
      case 'unsaved':
        return t(saver.isAutomatic() ? 'save.unsaved' : 'save.waiting')
      default:
        return t(`save.${saved.kind}`)
    }
  }
}
