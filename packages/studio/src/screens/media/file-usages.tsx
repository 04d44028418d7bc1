import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { apiNameOf, listTitleOf, useTypes } from '../../api/content-types.ts'
import { fileUsagesQuery, type MediaFile } from '../../api/files.ts'
import { useTexts } from '../../texts/texts.ts'
import { UsageField } from '../../fields/usage-field.tsx'
import styles from './file-drawer.module.css'

export function FileUsages({ file }: { readonly file: MediaFile }) {
  const { t } = useTexts()
  const types = useTypes()
  const { data } = useQuery(fileUsagesQuery(file.id))
  if (data === undefined) return null
  return (
    <section aria-label={t('media.usedIn')}>
      <h3 className={styles['heading']}>{t('media.usedIn')}</h3>
      {data.data.length === 0 && <p className={styles['facts']}>{t('media.notUsed')}</p>}
      <ul>
        {data.data.map(({ uid, documentId, locale, field, title }) => {
          const type = types.find((one) => one.uid === uid)
          return (
            <li key={`${documentId} ${locale ?? ''} ${field}`} className={styles['usage']}>
              {type === undefined ? (
                title
              ) : (
                <Link
                  to="/content/$type/$documentId"
                  params={{ type: apiNameOf(type), documentId }}
                  search={{
                    ...(locale !== null && { locale }),
                    field,
                    linked: file.documentId,
                  }}
                  className={styles['link']}
                >
                  {title}
                </Link>
              )}
              <span className={styles['facts']}>
                {type === undefined ? uid : listTitleOf(type)} ·{' '}
                <UsageField uid={uid} field={field} />
                {locale !== null && ` · ${locale}`}
              </span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
