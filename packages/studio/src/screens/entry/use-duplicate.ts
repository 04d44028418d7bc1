import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { apiNameOf } from '../../api/content-types.ts'
import { duplicateEntry } from '../../api/entry-facts.ts'
import { notify, notifyFailure } from '../../design/toasts.tsx'
import type { EntrySession } from '../../entry/entry-session.ts'
import { fieldLabel } from '../../texts/field-words.ts'
import { useTexts } from '../../texts/texts.ts'

/** Copies the stored entry and opens the copy. Names the fields that the copy lacks. */
export function useDuplicate({
  plan,
  door,
  saver,
}: EntrySession): (save: () => Promise<boolean>) => Promise<void> {
  const { t, language } = useTexts()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { type, locale, attributes } = plan
  return async (save) => {
    // Values that cannot be saved would be missing in the copy.
    if (saver.isAutomatic() && !(await save())) return
    const documentId = door.documentId()
    if (documentId === null) return
    try {
      const { data, leftOut } = await duplicateEntry(type.uid, documentId)
      const roots = [...new Set(leftOut.map(({ path }) => path[0] ?? ''))]
      const names = roots.map((name) => fieldLabel(name, attributes[name], language)).join(', ')
      void client.invalidateQueries({ queryKey: ['content', type.uid, 'list'] })
      void client.invalidateQueries({ queryKey: ['counts'] })
      const isSame = locale === null || data.locales.includes(locale)
      const shown = isSame ? locale : (data.locales[0] ?? null)
      await navigate({
        to: '/content/$type/$documentId',
        params: { type: apiNameOf(type), documentId: data.documentId },
        search: shown === null ? {} : { locale: shown },
      })
      notify(names === '' ? t('entry.duplicated') : t('entry.duplicatedWithout', { names }))
    } catch (error) {
      notifyFailure(error)
    }
  }
}
