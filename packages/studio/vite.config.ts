import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The API server during development (`npm run dev`). */
const server = process.env['QUIRE_ADDRESS'] ?? 'http://127.0.0.1:1337'

export default defineConfig({
  root: import.meta.dirname,
  base: '/studio/',
  plugins: [react()],
  build: {
    outDir: '../../dist/studio',
    emptyOutDir: true,
    // The server's CSP forbids data URLs for scripts, and the app draws its own icons.
    assetsInlineLimit: 0,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    reportCompressedSize: false,
    // The rich text editors are large, but load on demand.
    chunkSizeWarningLimit: 900,
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(['/admin', '/api', '/uploads'].map((path) => [path, server])),
  },
})
