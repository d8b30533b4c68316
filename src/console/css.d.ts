/** The bundler takes styles from imports. */
declare module '*.css'
