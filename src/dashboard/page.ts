/**
 * The page, without a script or a style of its own. All addresses in it are relative, and so under whatever path it was asked for.
 * The script fills `main`.
 */
export const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Locks</title>
<link rel="icon" href="icon.svg">
<link rel="stylesheet" href="app.css">
<body><div id="app"></div><noscript>This page needs JavaScript.</noscript>
<script type="module" src="app.js"></script>
`;

/** A closed lock. Without it, a browser asks for /favicon.ico of the application. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M4.5 7V5a3.5 3.5 0 0 1 7 0v2" fill="none" stroke="#0b7a75" stroke-width="2"/><rect x="2.5" y="7" width="11" height="8" rx="2" fill="#0b7a75"/></svg>`;
