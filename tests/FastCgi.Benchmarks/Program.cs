using System.CommandLine;
using FastCgi.Benchmarks.Application;
using FastCgi.Benchmarks.Compare;
using FastCgi.Benchmarks.Direct;
using FastCgi.Benchmarks.Micro;

var root = new RootCommand("The speed of the FastCGI server, beside others and by itself.")
{
    CompareCommand.Create(),
    DirectCommand.Create(),
    MicroCommand.Create(),
    ServeCommand.Create(),
};
return await root.Parse(args).InvokeAsync();
