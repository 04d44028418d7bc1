import { notFound, useParams } from '@tanstack/react-router'
import { Suspense } from 'react'
import { apiNameOf, type TypeSummary, useTypes } from '../../api/content-types.ts'
import { Skeleton } from '../../design/late.tsx'
import { lazyPart } from '../../design/load-part.tsx'

const ListScreen = lazyPart(async () => (await import('../list/list-screen.tsx')).ListScreen)
const EntryScreen = lazyPart(async () => (await import('../entry/entry-screen.tsx')).EntryScreen)

/** The type that the address names. @throws what the router shows as missing */
export function useAddressedType(): TypeSummary {
  const { type: name } = useParams({ strict: false })
  const type = useTypes().find((one) => apiNameOf(one) === name)
  // oxlint-disable-next-line typescript/only-throw-error -- how the router has it
  if (type === undefined) throw notFound()
  return type
}

/** The list of a collection type; of a single type its one entry. */
export function ContentScreen() {
  const type = useAddressedType()
  return (
    <Suspense fallback={<Skeleton />}>
      {type.kind === 'singleType' ? (
        <EntryScreen key={type.uid} type={type} documentId={null} />
      ) : (
        <ListScreen key={type.uid} type={type} />
      )}
    </Suspense>
  )
}
