import { useNavigate } from '@tanstack/react-router'
import { apiNameOf, listTitleOf, type TypeSummary } from '../api/content-types.ts'
import { type Entry, titleOf } from '../api/entries.ts'
import { useFoundInTypes } from '../api/found-in-types.ts'
import { useLocales } from '../api/locales.ts'
import type { Command } from '../design/commands.ts'
import { Icon } from '../design/icons/icon.tsx'
import { useTexts } from '../texts/texts.ts'
import { useEntryNavigation } from './use-entry-navigation.ts'
import { TypeIcon } from '../design/icons/type-icon.tsx'

const MAX_SHOWN_PER_TYPE = 4

/** Entries with a text. A last line per type leads to its list with all matches. */
export function useFoundEntries(text: string): readonly Command[] {
  const { found, isCurrent } = useFoundInTypes(text)
  const lineOf = useEntryLine()
  const restOf = useRestLine(text)
  return found.flatMap(({ type, entries, isFailed }) => {
    if (isFailed) return [restOf(type, 'palette.unsearched')]
    const lines = entries.slice(0, MAX_SHOWN_PER_TYPE).map((entry) => lineOf(type, entry))
    const hasMore = isCurrent && entries.length > MAX_SHOWN_PER_TYPE
    return hasMore ? [...lines, restOf(type, 'palette.more')] : lines
  })
}

function useEntryLine(): (type: TypeSummary, entry: Entry) => Command {
  const open = useEntryNavigation()
  const { locale: nameOf } = useTexts()
  const [first] = useLocales()
  return (type, entry) => {
    const { documentId, locale = null } = entry
    const isDefault = locale === null || locale === first?.code
    return {
      id: `${documentId} ${locale ?? ''}`,
      icon: <TypeIcon type={type} />,
      text: titleOf(entry, type.titleField),
      note: isDefault ? listTitleOf(type) : `${listTitleOf(type)} · ${nameOf(locale)}`,
      run: () => open(type, documentId, isDefault ? undefined : locale),
    }
  }
}

function useRestLine(wanted: string) {
  const navigate = useNavigate()
  const { t } = useTexts()
  return (type: TypeSummary, text: 'palette.more' | 'palette.unsearched'): Command => ({
    id: `rest ${type.uid}`,
    icon: <Icon name="list" />,
    text: t(text, { name: listTitleOf(type) }),
    run: () =>
      void navigate({
        to: '/content/$type',
        params: { type: apiNameOf(type) },
        search: text === 'palette.more' ? { q: wanted } : {},
      }),
  })
}
