import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { FileChange, MediaFile } from '../../api/files.ts'
import { localesQuery } from '../../api/locales.ts'
import { Choice } from '../../design/choice.tsx'
import { TextInput } from '../../design/text-input.tsx'
import type { Action } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'

const NAMES = ['alternativeText', 'caption'] as const
type Name = (typeof NAMES)[number]

/** The texts of the file itself. No locale has this code. */
const OWN = 'own'

export interface FileTexts {
  /** Locales, and `OWN` before them. Empty in an installation with one locale. */
  readonly languages: readonly string[]
  readonly language: string
  readonly choose: (language: string) => void
  readonly valueOf: (name: Name) => string
  /** The text that the language shows while it has none. */
  readonly insteadOf: (name: Name) => string
  readonly type: (name: Name, text: string) => void
  /** The texts to save, those of other languages only if they were typed. */
  readonly changes: () => FileChange
}

/** The texts of a file while they are edited. The first language is that of the entry which shows the file. */
export function useFileTexts(file: MediaFile, entryLocale: string | null): FileTexts {
  const { data: locales = [] } = useQuery(localesQuery)
  const [chosen, choose] = useState<string | null>(null)
  const [typed, note] = useState<Readonly<Record<string, Partial<Record<Name, string>>>>>({})
  const isOwn = locales.some(({ code, isDefault }) => isDefault && code === entryLocale)
  const first = hasTexts(file, entryLocale) || !isOwn ? entryLocale : null
  const isKnown = locales.length > 1 && locales.some(({ code }) => code === first)
  const language = chosen ?? (isKnown && first !== null ? first : OWN)
  const valueIn = (code: string, name: Name): string =>
    typed[code]?.[name] ?? (code === OWN ? file[name] : file.translations?.[code]?.[name]) ?? ''
  return {
    languages: locales.length > 1 ? [OWN, ...locales.map(({ code }) => code)] : [],
    language,
    choose,
    valueOf: (name) => valueIn(language, name),
    insteadOf: (name) => (language === OWN ? '' : valueIn(OWN, name)),
    type: (name, text) =>
      note((now) => ({ ...now, [language]: { ...now[language], [name]: text } })),
    changes: () => {
      const { [OWN]: _own, ...others } = typed
      const translations = Object.entries(others).map(
        ([code, texts]) => [code, trimmed(texts)] as const,
      )
      return {
        alternativeText: valueIn(OWN, 'alternativeText').trim(),
        caption: valueIn(OWN, 'caption').trim(),
        ...(translations.length > 0 && { translations: Object.fromEntries(translations) }),
      }
    },
  }
}

function hasTexts({ translations }: MediaFile, locale: string | null): boolean {
  return locale !== null && translations?.[locale] !== undefined
}

function trimmed(texts: Partial<Record<Name, string>>): Partial<Record<Name, string>> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.trim()]))
}

export interface FileTextFieldsProps {
  readonly file: MediaFile
  readonly texts: FileTexts
  readonly action: Action
  readonly isReadOnly: boolean
}

export function FileTextFields({ file, texts, action, isReadOnly }: FileTextFieldsProps) {
  const { t, locale: nameOf } = useTexts()
  const { languages, language, choose, valueOf, insteadOf, type } = texts
  const isOwn = language === OWN
  return (
    <>
      <TextInput
        label={t('settings.name')}
        name="name"
        defaultValue={file.name}
        isReadOnly={isReadOnly}
        error={action.faultOf('name')}
      />
      {languages.length > 0 && (
        <Choice
          label={t('media.language')}
          options={languages.map((id) => ({
            id,
            name: id === OWN ? t('media.allLanguages') : nameOf(id),
          }))}
          value={language}
          onChange={choose}
        />
      )}
      <TextInput
        label={t('media.alternative')}
        value={valueOf('alternativeText')}
        onChange={(text) => type('alternativeText', text)}
        input={{ placeholder: insteadOf('alternativeText') }}
        isReadOnly={isReadOnly}
        hint={isOwn ? t('media.alternativeHint') : t('media.languageHint')}
        error={action.faultOf('alternativeText')}
      />
      <TextInput
        label={t('media.caption')}
        value={valueOf('caption')}
        onChange={(text) => type('caption', text)}
        input={{ placeholder: insteadOf('caption') }}
        isReadOnly={isReadOnly}
        error={action.faultOf('caption')}
      />
    </>
  )
}
