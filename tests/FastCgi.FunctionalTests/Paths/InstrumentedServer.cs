using System.Reflection;
using System.Runtime.Loader;
using FastCgi.AspNetCore.Scheduling;
using Mono.Cecil;
using Mono.Cecil.Cil;
using Mono.Cecil.Rocks;

namespace FastCgi.FunctionalTests.Paths;

/// <summary>The server's assemblies a second time. Each of their methods leaves its <see cref="Trail"/>.</summary>
internal sealed class InstrumentedServer() : AssemblyLoadContext(nameof(InstrumentedServer))
{
    private const string Main = "FastCgi.AspNetCore";

    private static readonly string[] s_assemblies = [Main, "FastCgi.Protocol"];

    private readonly List<TracedMethod> _methods = [];

    public Assembly Server => LoadFromAssemblyName(new AssemblyName(Main));

    /// <summary>What the monitor of this second server holds during each tick.</summary>
    public SemaphoreSlim Ticking
    {
        get
        {
            var monitor = Server.GetType(typeof(InlineRunMonitor).FullName!, throwOnError: true)!
                .GetProperty(nameof(InlineRunMonitor.Shared))!.GetValue(null)!;
            return (SemaphoreSlim)monitor.GetType()
                .GetProperty(nameof(Ticking), BindingFlags.Instance | BindingFlags.NonPublic)!.GetValue(monitor)!;
        }
    }

    public TracedMethod this[int method] => _methods[method];

    /// <summary>Everything else is shared with the tests.</summary>
    protected override Assembly? Load(AssemblyName assemblyName) =>
        s_assemblies.Contains(assemblyName.Name) ? Instrument(assemblyName.Name!) : null;

    private Assembly Instrument(string name)
    {
        var path = Path.Combine(AppContext.BaseDirectory, $"{name}.dll");
        using var assembly = AssemblyDefinition.ReadAssembly(path, new ReaderParameters { ReadSymbols = true });
        var enter = assembly.MainModule.ImportReference(typeof(Trail).GetMethod(nameof(Trail.Enter)));
        var leave = assembly.MainModule.ImportReference(typeof(Trail).GetMethod(nameof(Trail.Leave)));
        foreach (var method in assembly.MainModule.GetTypes().SelectMany(static type => type.Methods))
        {
            if (method.DebugInformation.SequencePoints.FirstOrDefault(static point => !point.IsHidden) is { } point)
            {
                Instrument(method.Body, enter, leave, _methods.Count);
                _methods.Add(new TracedMethod(method.DeclaringType.FullName, method.Name, point.Document.Url));
            }
        }

        var instrumented = new MemoryStream();
        assembly.Write(instrumented);
        instrumented.Position = 0;
        return LoadFromStream(instrumented);
    }

    private static void Instrument(
        Mono.Cecil.Cil.MethodBody body, MethodReference enter, MethodReference leave, int number)
    {
        body.SimplifyMacros();
        var il = body.GetILProcessor();
        foreach (var end in body.Instructions.Where(static instruction => instruction.OpCode == OpCodes.Ret).ToList())
        {
            // In place, so that a branch to the end does not miss it.
            end.OpCode = OpCodes.Call;
            end.Operand = leave;
            il.InsertAfter(end, il.Create(OpCodes.Ret));
        }

        var first = body.Instructions[0];
        il.InsertBefore(first, il.Create(OpCodes.Ldc_I4, number));
        il.InsertBefore(first, il.Create(OpCodes.Call, enter));
        body.OptimizeMacros();
    }
}
