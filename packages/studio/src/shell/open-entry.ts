import { useNavigate } from '@tanstack/react-router'
import { apiNameOf, type TypeSummary } from '../api/content-types.ts'

/** Leads to an entry; `locale` only where it is not the default one. */
export function useOpenEntry(): (type: TypeSummary, documentId: string, locale?: string) => void {
  const navigate = useNavigate()
  return (type, documentId, locale) =>
    void navigate({
      to: '/content/$type/$documentId',
      params: { type: apiNameOf(type), documentId },
      search: locale === undefined ? {} : { locale },
    })
}
