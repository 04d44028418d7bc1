import type { Attributes } from '../../api/attributes.ts'
import { fieldLabel } from '../../texts/field-words.ts'
import { useTexts } from '../../texts/texts.ts'
import { LOCALES_COLUMN, STATE_COLUMN } from './columns.ts'
import { STAGE, STATE } from './filter-words.ts'

export function useColumnName(attributes: Attributes): (name: string) => string {
  const { t, language } = useTexts()
  const names: Readonly<Record<string, string>> = {
    [STATE_COLUMN]: t('list.state'),
    [STATE]: t('list.state'),
    [STAGE]: t('review.stage'),
    [LOCALES_COLUMN]: t('list.languages'),
    createdAt: t('list.createdAt'),
    updatedAt: t('list.updatedAt'),
    publishedAt: t('list.publishedAt'),
    createdBy: t('list.createdBy'),
    updatedBy: t('list.updatedBy'),
    $createdBy: t('list.createdBy'),
    $updatedBy: t('list.updatedBy'),
    documentId: t('list.documentId'),
  }
  return (name) => names[name] ?? fieldLabel(name, attributes[name], language)
}
