import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { I18nProvider } from 'react-aria-components'
import { sessionQuery } from '../api/session.ts'
import { speak } from '../texts/say-refusal.ts'
import { chooseLanguage, loadCatalogue, type Texts, TextsContext, textsOf } from '../texts/texts.ts'

export function LanguageProvider({ children }: { readonly children: ReactNode }) {
  const chosen = useQuery({ ...sessionQuery, enabled: false }).data?.administrator.language
  const language = chooseLanguage([chosen, ...navigator.languages])
  const [texts, setTexts] = useState<Texts | null>(null)
  useEffect(() => {
    let isWanted = true
    void loadCatalogue(language).then((catalogue) => {
      if (!isWanted) return
      const wanted = textsOf(language, catalogue)
      speak(wanted)
      setTexts(wanted)
    })
    document.documentElement.lang = language
    return () => {
      isWanted = false
    }
  }, [language])
  if (texts === null) return null
  return (
    <I18nProvider locale={texts.language}>
      <TextsContext value={texts}>{children}</TextsContext>
    </I18nProvider>
  )
}
