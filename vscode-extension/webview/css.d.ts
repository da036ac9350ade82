declare module '*.css'; // esbuild writes it beside the script
