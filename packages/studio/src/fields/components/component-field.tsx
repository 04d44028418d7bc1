import { useEffect, useRef } from 'react'
import { Button } from '../../design/button.tsx'
import { useOwnNotices } from '../../design/use-own-notices.ts'
import type { ComponentAttribute } from '../../api/attributes.ts'
import { type ComponentValue, newComponentValue } from '../../entry/values.ts'
import { useTexts } from '../../texts/texts.ts'
import type { FieldProps } from '../field-props.ts'
import { FieldFrame } from '../frame/field-frame.tsx'
import { focusField, focusFirst } from '../focus.ts'
import { useFieldLabel } from '../../texts/field-words.ts'
import { addressAt, useFromValue, useOpenEntry } from '../open-entry.ts'
import { ComponentFields } from './component-fields.tsx'
import styles from './components.module.css'
import { useClip } from './use-clip.ts'

export function ComponentField({ attribute, name, place }: FieldProps<ComponentAttribute>) {
  const isThere = useFromValue<ComponentValue | null, boolean>(place, (value) => value !== null)
  const { form, reading, isReadOnly } = useOpenEntry()
  const { t } = useTexts()
  const label = useFieldLabel(name, attribute)
  const notify = useOwnNotices()
  const declared = reading.components.get(attribute.component)
  const isFixed = isReadOnly || attribute.writable === false
  const address = addressAt(place)
  const clip = useClip(attribute)
  const box = useRef<HTMLDivElement>(null)
  const isPressed = useRef(false)
  useEffect(() => {
    if (!isPressed.current) return
    isPressed.current = false
    if (isThere) focusField(box.current)
    else focusFirst(box.current, ['button'])
  }, [isThere])
  const add = (): void => {
    isPressed.current = true
    form.set(address, newComponentValue(attribute, attribute.component, reading))
  }
  const remove = (): void => {
    isPressed.current = true
    const before = form.get(address)
    form.set(address, null)
    notify(t('component.removed', { name: label }), () => form.set(address, before))
  }
  const paste = async (): Promise<void> => {
    const pasted = await clip.paste()
    if (pasted === null) return
    isPressed.current = true
    form.set(address, pasted)
  }
  const copy = (): void => {
    const value = form.get(address) as ComponentValue | null
    if (value !== null) void clip.copy(attribute.component, value)
  }
  const actions = !isThere || isFixed || (
    <>
      <Button look="quiet" small onPress={copy} aria-label={t('component.copyOf', { name: label })}>
        {t('component.copy')}
      </Button>
      <Button look="quiet" small onPress={remove} aria-label={t('action.remove', { name: label })}>
        {t('component.remove')}
      </Button>
    </>
  )
  return (
    <FieldFrame {...{ attribute, name, place }} isGroup note={actions}>
      {(names) => (
        <div ref={box} className={styles['single']}>
          {isThere ? (
            <div role="group" aria-labelledby={names['aria-labelledby']} className={styles['card']}>
              <ComponentFields attributes={declared?.attributes ?? {}} place={place} />
            </div>
          ) : (
            <div className={styles['adders']}>
              <Button isDisabled={isFixed} onPress={add}>
                {t('component.add', { name: declared?.displayName ?? attribute.component })}
              </Button>
              {!isFixed && (
                <Button look="quiet" onPress={() => void paste()}>
                  {t('component.paste')}
                </Button>
              )}
            </div>
          )}
        </div>
      )}
    </FieldFrame>
  )
}
