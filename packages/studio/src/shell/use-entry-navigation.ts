import { useNavigate } from '@tanstack/react-router'
import { apiNameOf, type TypeSummary } from '../api/content-types.ts'

export function useEntryNavigation(): (
  type: TypeSummary,
  documentId: string,
  locale?: string,
) => void {
  const navigate = useNavigate()
  return (type, documentId, locale) =>
    void navigate({
      to: '/content/$type/$documentId',
      params: { type: apiNameOf(type), documentId },
      search: locale === undefined ? {} : { locale },
    })
}
