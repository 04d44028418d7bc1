import { branding } from './branding.ts'
import styles from './mark.module.css'

/** The logo of the project, or the mark of Quire. */
export function Mark({ size }: { readonly size: number }) {
  if (branding.logo !== null) {
    return <img src={branding.logo} height={size} alt="" className={styles['logo']} data-logo="" />
  }
  return (
    <svg viewBox="0 0 20 20" width={size} height={size} aria-hidden="true" data-mark="">
      <rect width="20" height="20" rx="5" className={styles['tile']} />
      <path d="M7 5v7.5A2.5 2.5 0 0 0 9.5 15H16" className={styles['stroke']} />
    </svg>
  )
}
