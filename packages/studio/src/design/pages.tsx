import { useTexts } from '../texts/texts.ts'
import { PageButtons } from './page-buttons.tsx'

export interface PagesProps {
  readonly page: number
  readonly pageCount: number
  readonly onChange: (page: number) => void
}

/** Renders null for a single page. */
export function Pages({ page, pageCount, onChange }: PagesProps) {
  const { t } = useTexts()
  if (pageCount <= 1) return null
  return (
    <PageButtons
      isFirst={page <= 1}
      isLast={page >= pageCount}
      onBack={() => onChange(page - 1)}
      onForward={() => onChange(page + 1)}
    >
      {t('media.page', { page, pages: pageCount })}
    </PageButtons>
  )
}
