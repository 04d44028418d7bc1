import type { ContentPagination } from '../../extensions/content-service.ts'
import type { Page } from '../../query/query.ts'
import type { FoundDocuments } from './find-documents.ts'

export function describePage(
  { total, notes, nextCursor }: Omit<FoundDocuments, 'entries'>,
  page: Page,
): ContentPagination {
  const noted = Object.fromEntries(notes.map((note) => [note, true]))
  switch (page.kind) {
    case 'page': {
      const { page: number, pageSize } = page
      const counted = total === null ? {} : { pageCount: Math.ceil(total / pageSize), total }
      return { page: number, pageSize, ...counted, ...noted }
    }
    case 'offset':
      return { start: page.start, limit: page.limit, ...(total !== null && { total }), ...noted }
    case 'cursor':
      return { pageSize: page.pageSize, nextCursor, ...(total !== null && { total }), ...noted }
  }
}
