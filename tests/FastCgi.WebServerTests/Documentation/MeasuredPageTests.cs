using FastCgi.Benchmarks.Tables;

namespace FastCgi.WebServerTests.Documentation;

/// <summary>"run tables" of the benchmarks finds the commands and the tables of docs/evidence/performance.md.</summary>
public sealed class MeasuredPageTests
{
    private const string Page = """
        # Fast

        ## With nginx

        ```bash
        run compare --workloads a \
            --rounds 3
        run compare --workloads b
        ```

        ### a, 32 connections

        | target | CPU |
        | --- | ---: |
        | x | 1 |

        Kept.

        ### b, 32 connections

        | target | CPU |
        | --- | ---: |
        | x | 2 |

        ## Without

        ```bash
        run direct --workloads a
        ```

        ### a, 32 connections

        | target | CPU |
        | --- | ---: |
        | x | 3 |

        """;

    private const string Report = """
        # Behind one nginx

        ## a, 32 connections

        | target | CPU |
        | --- | ---: |
        | x | 7 |
        | y | 8 |

        """;

    [Fact]
    public void Its_commands_are_read_with_their_sections() => Assert.Equal(
        [
            ("With nginx", "compare --workloads a --rounds 3"),
            ("With nginx", "compare --workloads b"),
            ("Without", "direct --workloads a"),
        ],
        MeasuredPage.Commands(Page));

    [Fact]
    public void A_table_is_replaced_in_its_section_alone()
    {
        var page = MeasuredPage.Replace(Page, "Without", Report, out var replaced);
        Assert.Equal(["a, 32 connections"], replaced);
        Assert.Equal(Page.Replace("| x | 3 |", "| x | 7 |\n| y | 8 |", StringComparison.Ordinal), page);
    }

    [Fact]
    public void The_titles_of_a_report_and_of_a_section_tell_what_has_no_place()
    {
        Assert.Equal(["a, 32 connections"], MeasuredPage.Titles(Report));
        Assert.Equal(["a, 32 connections", "b, 32 connections"], MeasuredPage.Titles(Page, "With nginx"));
    }

    [Fact]
    public void Every_command_of_the_page_has_tables_in_its_section()
    {
        var page = File.ReadAllText(Path.Combine(Repository.Root, "docs", "evidence", "performance.md"));
        var commands = MeasuredPage.Commands(page);
        Assert.NotEmpty(commands);
        Assert.All(
            commands,
            command =>
            {
                var section = page.Split($"\n## {command.Section}\n")[1].Split("\n## ")[0];
                Assert.Contains("\n### ", section, StringComparison.Ordinal);
                var first = command.Arguments.Split(' ')[0] switch
                {
                    "start" => "build",
                    "first-minute" => "second",
                    _ => "target",
                };
                Assert.Contains($"\n| {first} |", section, StringComparison.Ordinal);
                Assert.NotEmpty(MeasuredPage.Titles(page, command.Section));
            });
    }
}
