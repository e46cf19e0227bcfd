using System.CommandLine;
using FastCgi.Benchmarks.Application;
using FastCgi.Benchmarks.Compare;
using FastCgi.Benchmarks.Direct;

var root = new RootCommand("The speed of the FastCGI server, beside others and by itself.")
{
    CompareCommand.Create(),
    DirectCommand.Create(),
    ServeCommand.Create(),
};
return await root.Parse(args).InvokeAsync();
