import { useMemo } from 'react'
import { notify } from '../../design/toasts.tsx'
import { readClip, toClip } from '../../entry/component-clip.ts'
import { type ComponentValue, isPartlyRead } from '../../entry/values.ts'
import { useTexts } from '../../texts/texts.ts'
import { useOpenEntry } from '../open-entry.ts'
import type { ListAttribute } from './component-list.ts'

/** Copies components to other entries through the clipboard. */
export function useClip(attribute: ListAttribute) {
  const { reading } = useOpenEntry()
  const { t } = useTexts()
  return useMemo(
    () => ({
      copy: async (uid: string, value: ComponentValue): Promise<void> => {
        if (isPartlyRead(value)) return void notify(t('component.notCopied'))
        try {
          await navigator.clipboard.writeText(toClip(uid, value))
          notify(t('component.copied', { name: reading.components.get(uid)?.displayName ?? uid }))
        } catch {
          notify(t('component.clipboard'))
        }
      },
      /** A new component. Null after a notice. */
      paste: async (): Promise<ComponentValue | null> => {
        try {
          const pasted = readClip(await navigator.clipboard.readText(), attribute, reading)
          if (pasted === null) notify(t('component.notPasted'))
          return pasted
        } catch {
          notify(t('component.clipboard'))
          return null
        }
      },
    }),
    [attribute, reading, t],
  )
}
