import type { WaitingReview } from '../../api/recent.ts'
import { stageWord } from '../../texts/stage-word.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './home-screen.module.css'
import { HomeLink } from './inbox.tsx'

const MAX_SHOWN = 10

/** Drafts that are assigned to the user. */
export function Waiting({ reviews }: { readonly reviews: readonly WaitingReview[] }) {
  const texts = useTexts()
  const { t, ago, locale: nameOf } = texts
  if (reviews.length === 0) return null
  return (
    <section aria-label={t('home.waiting')} className={styles['section']}>
      <h2 className={styles['title']}>{t('home.waiting')}</h2>
      <ul>
        {reviews.slice(0, MAX_SHOWN).map((review) => {
          const { uid, documentId, locale, title, stage, at } = review
          const language = locale === null ? [] : [nameOf(locale)]
          return (
            <li key={`${uid} ${documentId} ${locale ?? ''}`}>
              <HomeLink
                place={review}
                name={title === '' ? t('trash.untitled') : title}
                note={[stageWord(stage, texts), ...language, ago(at)]}
              />
            </li>
          )
        })}
      </ul>
    </section>
  )
}
