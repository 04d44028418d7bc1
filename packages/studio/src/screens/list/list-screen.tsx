import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { apiNameOf, type TypeSummary, useDeclaration } from '../../api/content-types.ts'
import { entriesQuery, titleOf } from '../../api/entries.ts'
import { Page } from '../../design/page.tsx'

export function ListScreen({ type }: { readonly type: TypeSummary }) {
  const { titleField } = useDeclaration(type.uid)
  const { data } = useSuspenseQuery(entriesQuery(type.uid, { sort: 'updatedAt:desc' }))
  return (
    <Page title={type.displayName} narrow>
      <ul>
        {data.data.map((entry) => (
          <li key={entry.documentId}>
            <Link
              to="/content/$type/$documentId"
              params={{ type: apiNameOf(type), documentId: entry.documentId }}
            >
              {titleOf(entry, titleField)}
            </Link>
          </li>
        ))}
      </ul>
    </Page>
  )
}
