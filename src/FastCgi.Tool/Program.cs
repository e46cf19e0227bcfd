using FastCgi.Tool;
using FastCgi.Tool.Output;

return await FcgiProgram.RunAsync(args, ToolTerminal.OfProcess());
