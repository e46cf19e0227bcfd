using FastCgi.Tool;

return await FcgiProgram.RunAsync(args, ToolTerminal.OfProcess());
